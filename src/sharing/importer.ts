/**
 * Bytes become a file of this node: imported, recorded, announced. Called by the node for uploads and paths; calls dag and
 * the catalog. An import that fails leaves nothing behind.
 */
import type { CID } from "multiformats/cid";
import type { Catalog } from "./catalog.ts";
import type { CatalogEntry, LocalFile } from "./catalog-entry.ts";
import { importFile } from "./dag.ts";
import { safeFileName } from "./file-name.ts";
import type { BlockStore, Clock } from "./ports.ts";

export interface ShareOptions {
  /** Asked for once all bytes are here, as a form may tell it last. Undefined: the name that these bytes had before. */
  name: string | (() => string | undefined);
  signal?: AbortSignal;
  /** Called as bytes are stored, at most once a chunk. */
  onProgress?: (storedBytes: number) => void;
}

/** `existed`: the same bytes were here before. */
export interface Shared {
  file: LocalFile;
  existed: boolean;
}

export interface ImporterPorts {
  blocks: BlockStore;
  catalog: Catalog;
  clock: Clock;
  /** The file is here, or bears another name. */
  onShared: (entry: CatalogEntry) => void;
  /** The node's end. */
  signal: AbortSignal;
}

/** @throws SharingError `storage_full`, `bad_request` (too long) */
export type Importer = (bytes: AsyncIterable<Uint8Array>, options: ShareOptions) => Promise<Shared>;

export function createImporter({ blocks, catalog, clock, onShared, signal }: ImporterPorts): Importer {
  return async (bytes, options) => {
    const stored: CID[] = [];
    let isKept = false;
    const store = async (cid: CID, block: Uint8Array) => {
      await catalog.store(cid, block);
      stored.push(cid);
    };
    try {
      const manifest = await importFile(bytes, store, {
        signal: options.signal ? AbortSignal.any([options.signal, signal]) : signal,
        buffers: blocks.buffers,
        onProgress: options.onProgress,
      });
      const given = typeof options.name === "string" ? options.name : options.name();
      const known = catalog.find(manifest.root.toString());
      if (known) return await shareAgain(known, given === undefined ? known.name : safeFileName(given));
      const name = safeFileName(given ?? "");
      const entry = await catalog.add(manifest, { name, createdAt: new Date(clock.now()) });
      isKept = true;
      return shared(entry, false);
    } finally {
      if (!isKept) await catalog.release(stored);
    }
  };

  /** The same bytes under a new name; a download of them under way has just become complete, as has one with losses. */
  async function shareAgain(entry: CatalogEntry, name: string): Promise<Shared> {
    if (entry.name !== name) await catalog.rename(entry, name);
    if (!entry.holding.isComplete) await blocks.flush();
    for (let index = 0; index < entry.manifest.chunkCount; index++) entry.holding.mark(index);
    await catalog.completed(entry);
    return shared(entry, true);
  }

  function shared(entry: CatalogEntry, existed: boolean): Shared {
    onShared(entry);
    return { file: entry.view(), existed };
  }
}
