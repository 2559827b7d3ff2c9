/** A medium that tells of every step, for tests that look at what an end of the process there would leave. */
import type { AppendFile, IndexStorage, NewFile } from "../../../src/vx/storage/index-storage.ts";
import { MemoryMedium } from "../../../src/vx/storage/memory-index-storage.ts";

/** Calls `told` after each change of the storage. */
export function watched(storage: IndexStorage, told: () => void): IndexStorage {
  const after = async <T>(step: Promise<T>): Promise<T> => {
    const result = await step;
    told();
    return result;
  };
  const growing = (file: AppendFile): AppendFile => ({
    append: (bytes) => after(file.append(bytes)),
    sync: () => after(file.sync()),
    truncate: (sizeBytes) => after(file.truncate(sizeBytes)),
    close: () => file.close(),
  });
  const created = (file: NewFile): NewFile => ({
    write: (bytes) => after(file.write(bytes)),
    commit: () => after(file.commit()),
    discard: () => file.discard(),
  });
  return {
    list: () => storage.list(),
    open: (name) => storage.open(name),
    create: async (name) => created(await storage.create(name)),
    async delete(...names) {
      for (const name of names) await after(storage.delete(name));
    },
    startAppending: async (name) => growing(await after(storage.startAppending(name))),
    sync: (name) => storage.sync(name),
    close: () => storage.close(),
  };
}

/** What is on the medium now. */
export function copyOf(medium: MemoryMedium): MemoryMedium {
  const copy = new MemoryMedium();
  for (const [name, { bytes, length }] of medium.files) {
    copy.files.set(name, { bytes: bytes.slice(0, length), length });
  }
  return copy;
}
