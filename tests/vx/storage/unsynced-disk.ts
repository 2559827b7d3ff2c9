/**
 * A disk that holds back what was not synced, as a system does: a process that ends loses nothing of it, a power cut whatever the
 * disk had not written yet. The process ends by itself after so many calls.
 */
import type { AppendFile, IndexStorage, NewFile } from "../../../src/vx/storage/index-storage.ts";

interface File {
  bytes: Uint8Array;
  /** So many of its bytes are on the disk, and whether its name is. */
  syncedBytes: number;
  isNamed: boolean;
}

/** What of all that was not synced a power cut leaves; each from 0 to 1. */
export interface PowerCut {
  names: number;
  bytes: number;
  /** Before the end of what is left of a file: a disk writes in any order. */
  zeros: number;
  deletions: number;
}

export class UnsyncedDisk {
  /** Calls until the process ends. */
  callsLeft = Number.POSITIVE_INFINITY;
  #files = new Map<string, File>();
  /** That the disk may not know of, in order; with the next name it does. */
  #deleted: [name: string, file: File][] = [];
  #process = 0;

  get isProcessOver(): boolean {
    return this.callsLeft < 0;
  }

  cutPower({ names, bytes, zeros, deletions }: PowerCut): void {
    const known = Math.round(deletions * this.#deleted.length);
    for (const [name, file] of this.#deleted.splice(0).slice(known)) this.#files.set(name, file);
    for (const [name, file] of this.#files) {
      if (!file.isNamed && names < 0.5) {
        this.#files.delete(name);
        continue;
      }
      const unsyncedBytes = file.bytes.length - file.syncedBytes;
      const left = file.bytes.slice(0, file.syncedBytes + Math.round(bytes * unsyncedBytes));
      left.fill(0, file.syncedBytes, file.syncedBytes + Math.round(zeros * (left.length - file.syncedBytes)));
      this.#files.set(name, { bytes: left, syncedBytes: left.length, isNamed: true });
    }
  }

  /** By a new process: what others have open is of no more use. */
  open(): IndexStorage {
    const process = ++this.#process;
    const call = () => {
      if (process !== this.#process || --this.callsLeft < 0) throw new Error("The process has ended");
    };
    return {
      list: async () => {
        call();
        return [...this.#files.keys()];
      },
      open: async (name) => {
        call();
        const file = this.#files.get(name);
        return (
          file && {
            sizeBytes: file.bytes.length,
            read: async (offset, into) => into.set(file.bytes.subarray(offset, offset + into.length)),
            close: async () => {},
          }
        );
      },
      create: async (name) => this.#create(name, call),
      delete: async (...names) => {
        for (const name of names) {
          call();
          const file = this.#files.get(name);
          if (file === undefined) continue;
          this.#files.delete(name);
          this.#deleted.push([name, file]);
        }
      },
      startAppending: async (name) => {
        call();
        const file: File = { bytes: new Uint8Array(0), syncedBytes: 0, isNamed: false };
        this.#files.set(name, file);
        return this.#appending(file, call);
      },
      sync: async (name) => {
        call();
        const file = this.#files.get(name);
        if (file !== undefined) this.#sync(file);
      },
      close: async () => {},
    };
  }

  #create(name: string, call: () => void): NewFile {
    call();
    let bytes = new Uint8Array(0);
    return {
      async write(more) {
        call();
        bytes = joined(bytes, more);
      },
      commit: async () => {
        call();
        const file = { bytes, syncedBytes: 0, isNamed: false };
        this.#files.set(name, file);
        this.#sync(file);
      },
      async discard() {},
    };
  }

  #appending(file: File, call: () => void): AppendFile {
    return {
      async append(bytes) {
        const half = bytes.length >> 1;
        file.bytes = joined(file.bytes, bytes.subarray(0, half));
        // Where the process ends with this call, half of it is there.
        call();
        file.bytes = joined(file.bytes, bytes.subarray(half));
      },
      sync: async () => {
        call();
        this.#sync(file);
      },
      truncate: async (sizeBytes) => {
        call();
        file.bytes = file.bytes.slice(0, sizeBytes);
        this.#sync(file);
      },
      async close() {},
    };
  }

  #sync(file: File): void {
    file.syncedBytes = file.bytes.length;
    if (file.isNamed) return;
    file.isNamed = true;
    this.#deleted = [];
  }
}

function joined(bytes: Uint8Array, more: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(bytes.length + more.length);
  all.set(bytes);
  all.set(more, bytes.length);
  return all;
}
