/** An index and a folder of its backups, both in memory. */
import { openArchive } from "../../../src/vx/storage/archives.ts";
import type { BackupOptions, IndexStore } from "../../../src/vx/storage/index-store.ts";
import {
  MemoryFolder,
  MemoryMedium,
  openMemoryIndexStorage,
} from "../../../src/vx/storage/memory-index-storage.ts";
import { openIndexStore } from "../../../src/vx/storage/open-index-store.ts";
import { facts, loaded, placeIn } from "./small-index.ts";
import { copyOf } from "./watched-storage.ts";

export const full: BackupOptions = { incremental: false, compress: true };
export const incremental: BackupOptions = { incremental: true, compress: true };

export class Site {
  readonly index: MemoryMedium;
  readonly backups: MemoryMedium;
  readonly folder: MemoryFolder;

  constructor(index = new MemoryMedium(), backups = new MemoryMedium()) {
    this.index = index;
    this.backups = backups;
    this.folder = new MemoryFolder(backups);
  }

  /** Another that begins with the index as it is stored now, and backs up to the same folder. */
  copy(): Site {
    return new Site(copyOf(this.index), this.backups);
  }

  async open(encryptionKey?: string): Promise<IndexStore> {
    return openIndexStore(await openMemoryIndexStorage(this.index), { create: facts, encryptionKey });
  }

  backup(store: IndexStore, name: string, options: BackupOptions) {
    return store.backup(placeIn(this.folder, name), options);
  }

  /** As a schedule makes one and then has the oldest deleted. */
  async scheduled(store: IndexStore, name: string, options: BackupOptions, keep: number) {
    const made = await this.backup(store, name, { ...options, maxChain: keep });
    await store.prune(placeIn(this.folder, name), keep);
    return made;
  }

  async restored(name: string, encryptionKey?: string) {
    const archive = await openArchive(placeIn(this.folder, name), encryptionKey);
    try {
      return (await loaded(archive)).content();
    } finally {
      await archive.close();
    }
  }

  bytes(name: string): Uint8Array {
    const file = this.backups.files.get(name);
    if (file === undefined) throw new Error(`${name} is missing`);
    return file.bytes.slice(0, file.length);
  }

  names(): string[] {
    return [...this.backups.files.keys()].sort();
  }
}
