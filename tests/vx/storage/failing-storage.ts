/** A medium that can be made to fail: full after so many bytes, or refusing syncs. Wraps a real one. */
import { VxError } from "../../../src/vx/errors.ts";
import type { AppendFile, IndexStorage, NewFile } from "../../../src/vx/storage/index-storage.ts";

export class Faults {
  /** Bytes that can still be written. */
  freeBytes = Number.POSITIVE_INFINITY;
  /** Calls from now on that fail. */
  syncFailures = 0;
  truncateFailures = 0;
  closeFailures = 0;
  deleteFailures = 0;
  /** Of files that are committed nevertheless. */
  lateFailures = 0;

  take(bytes: Uint8Array): Uint8Array {
    const taken = bytes.subarray(0, Math.min(bytes.byteLength, this.freeBytes));
    this.freeBytes -= taken.byteLength;
    return taken;
  }
}

export function failing(storage: IndexStorage, faults: Faults): IndexStorage {
  const full = () => new VxError("storage_full", "The disk is full");
  const write = async (bytes: Uint8Array, to: (bytes: Uint8Array) => Promise<void>) => {
    const taken = faults.take(bytes);
    await to(taken);
    if (taken.byteLength < bytes.byteLength) throw full();
  };
  const fails = (fault: keyof Faults & `${string}Failures`) => {
    if (faults[fault] > 0) faults[fault]--;
    else return;
    throw new Error(`EIO, ${fault}`);
  };
  const growing = (file: AppendFile): AppendFile => ({
    append: (bytes) => write(bytes, (taken) => file.append(taken)),
    async sync() {
      fails("syncFailures");
      await file.sync();
    },
    async truncate(sizeBytes) {
      fails("truncateFailures");
      await file.truncate(sizeBytes);
    },
    async close() {
      await file.close();
      fails("closeFailures");
    },
  });
  const created = (file: NewFile): NewFile => ({
    write: (bytes) => write(bytes, (taken) => file.write(taken)),
    async commit() {
      fails("syncFailures");
      await file.commit();
      fails("lateFailures");
    },
    discard: () => file.discard(),
  });
  return {
    list: () => storage.list(),
    open: (name) => storage.open(name),
    create: async (name) => created(await storage.create(name)),
    async delete(...names) {
      for (const name of names) {
        fails("deleteFailures");
        await storage.delete(name);
      }
    },
    startAppending: async (name) => growing(await storage.startAppending(name)),
    sync: (name) => storage.sync(name),
    close: () => storage.close(),
  };
}
