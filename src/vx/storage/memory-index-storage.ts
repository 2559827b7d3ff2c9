/**
 * Index storage in memory: for tests, and for what an index without a path puts together only to back it up.
 * A MemoryMedium outlives its openers, as a disk does.
 */
import { VxError } from "../errors.ts";
import type {
  AppendFile,
  DatedFolder,
  FileFacts,
  IndexStorage,
  NewFile,
  StoredFile,
} from "./index-storage.ts";

interface Bytes {
  bytes: Uint8Array;
  length: number;
  /** When it was committed; undefined of one that grows still. */
  writtenAt?: Date;
}

export class MemoryMedium {
  readonly files = new Map<string, Bytes>();
  locked = false;
}

/** Files of a medium, without its lock. */
export class MemoryFolder implements DatedFolder {
  protected readonly medium: MemoryMedium;

  constructor(medium: MemoryMedium) {
    this.medium = medium;
  }

  async list(): Promise<string[]> {
    return [...this.medium.files.keys()];
  }

  async describe(name: string): Promise<FileFacts | undefined> {
    const file = this.medium.files.get(name);
    return file && { sizeBytes: file.length, writtenAt: file.writtenAt ?? new Date() };
  }

  async removePartials(): Promise<void> {}

  async open(name: string): Promise<StoredFile | undefined> {
    const file = this.medium.files.get(name);
    if (file === undefined) return undefined;
    return {
      sizeBytes: file.length,
      async read(offset, into) {
        const end = offset + into.byteLength;
        if (end > file.length) throw new VxError("internal", `${name} has ${file.length} bytes, not ${end}`);
        into.set(file.bytes.subarray(offset, end));
      },
      async close() {},
    };
  }

  async create(name: string): Promise<NewFile> {
    const file: Bytes = { bytes: new Uint8Array(1024), length: 0 };
    return {
      write: async (bytes) => append(file, bytes),
      commit: async () => {
        this.medium.files.set(name, { ...file, writtenAt: new Date() });
      },
      async discard() {},
    };
  }

  async delete(...names: string[]): Promise<void> {
    for (const name of names) this.medium.files.delete(name);
  }
}

class MemoryIndexStorage extends MemoryFolder implements IndexStorage {
  async startAppending(name: string): Promise<AppendFile> {
    if (this.medium.files.has(name)) throw new VxError("conflict", `${name} exists already`);
    const file: Bytes = { bytes: new Uint8Array(1024), length: 0 };
    this.medium.files.set(name, file);
    return {
      append: async (bytes) => append(file, bytes),
      async sync() {},
      async truncate(sizeBytes) {
        file.length = sizeBytes;
      },
      async close() {},
    };
  }

  async sync(): Promise<void> {}

  async close(): Promise<void> {
    this.medium.locked = false;
  }
}

/** @throws VxError `conflict` while another has the medium open */
export async function openMemoryIndexStorage(medium = new MemoryMedium()): Promise<IndexStorage> {
  if (medium.locked) throw new VxError("conflict", "The index is in use: another has it open");
  medium.locked = true;
  return new MemoryIndexStorage(medium);
}

function append(file: Bytes, bytes: Uint8Array): void {
  const length = file.length + bytes.byteLength;
  if (length > file.bytes.length) {
    const larger = new Uint8Array(Math.max(length, file.bytes.length * 2));
    larger.set(file.bytes.subarray(0, file.length));
    file.bytes = larger;
  }
  file.bytes.set(bytes, file.length);
  file.length = length;
}
