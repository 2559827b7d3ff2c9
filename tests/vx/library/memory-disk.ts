/** Folders and archives in memory that outlive their openers, and a host that runs engines inline on them. */
import type { EngineHost } from "../../../src/vx/engine/open-engine.ts";
import { openEngine } from "../../../src/vx/engine/open-engine.ts";
import type { ArchivePlace, IndexStorage } from "../../../src/vx/storage/index-storage.ts";
import {
  MemoryFolder,
  MemoryMedium,
  openMemoryIndexStorage,
} from "../../../src/vx/storage/memory-index-storage.ts";
import type { VxHost } from "../../../src/vx/vx.ts";

export class MemoryDisk implements EngineHost {
  readonly #media = new Map<string, MemoryMedium>();

  async openStorage(path: string): Promise<IndexStorage> {
    return openMemoryIndexStorage(this.#medium(path));
  }

  async locateArchive(path: string): Promise<ArchivePlace> {
    const cut = path.lastIndexOf("/");
    const folder = new MemoryFolder(this.#medium(`${path.slice(0, cut)}/`));
    return { folder, name: path.slice(cut + 1), path };
  }

  archivesIn(path: string): string[] {
    return [...this.#medium(`${path}/`).files.keys()];
  }

  #medium(path: string): MemoryMedium {
    const medium = this.#media.get(path) ?? new MemoryMedium();
    this.#media.set(path, medium);
    return medium;
  }
}

export function inlineHost(disk: EngineHost): VxHost {
  return { startEngine: (settings) => openEngine(settings, disk) };
}
