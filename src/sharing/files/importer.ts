/**
 * Bytes become a file of this node: imported, recorded, announced. Called by the node for uploads and paths; calls dag and
 * the catalog. An import that fails leaves nothing behind.
 */
import type { CID } from "multiformats/cid";
import type { Catalog } from "../catalog/catalog.ts";
import type { CatalogEntry, LocalFile } from "../catalog/catalog-entry.ts";
import { safeFileName } from "../file-name.ts";
import type { BlockStore, Clock } from "../ports.ts";
import { importFile } from "./dag.ts";
import type { Sharer, UnsureFiles } from "./unsure-files.ts";

export interface ShareOptions {
  /** Asked for once all bytes are here, as a form may tell it last. Undefined: the name that these bytes had before. */
  name: string | (() => string | undefined);
  /** Whether nobody is told of the file. Undefined: as it was, and others are told of a new one. */
  isUnlisted?: boolean | undefined;
  signal?: AbortSignal;
  /** The folder's share that this is a part of, which says whether the file stays. */
  folder?: Sharer;
}

/** `before`: as it was where the same bytes were here. */
export interface Shared {
  file: LocalFile;
  before: LocalFile | undefined;
}

export interface ImporterPorts {
  blocks: BlockStore;
  catalog: Catalog;
  unsure: UnsureFiles;
  clock: Clock;
  /** The file is here, or bears another name. */
  onShared: (entry: CatalogEntry) => void;
  /** The node's end. */
  signal: AbortSignal;
}

/** @throws SharingError `storage_full`, `bad_request` (too long) */
export type Importer = (bytes: AsyncIterable<Uint8Array>, options: ShareOptions) => Promise<Shared>;

export function createImporter({
  blocks,
  catalog,
  unsure,
  clock,
  onShared,
  signal,
}: ImporterPorts): Importer {
  return async (bytes, options) => {
    const sharer = options.folder ?? {};
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
      });
      const given = typeof options.name === "string" ? options.name : options.name();
      const name = safeFileName(given ?? "");
      const id = manifest.root.toString();
      const before = catalog.find(id)?.view();
      unsure.begin(id, sharer, catalog.knows(id));
      const entry = await catalog.add(manifest, {
        name,
        createdAt: new Date(clock.now()),
        isUnlisted: options.isUnlisted ?? false,
      });
      isKept = true;
      await catalog.change(entry, (now) => ({
        name: given === undefined ? now.name : name,
        isUnlisted: options.isUnlisted ?? now.isUnlisted,
      }));
      await catalog.completed(entry);
      if (options.folder === undefined) unsure.keep(sharer);
      onShared(entry);
      return { file: entry.view(), before };
    } finally {
      if (!isKept) await catalog.release(stored);
      if (options.folder === undefined) for (const id of unsure.of(sharer)) unsure.giveUp(id, sharer);
    }
  };
}
