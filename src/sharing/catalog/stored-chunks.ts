/**
 * What the store has of a file: the inner nodes that name its chunks, and which of these. Called by the catalog, and by
 * transfers for what others have brought, or the medium has lost, meanwhile.
 */
import type { CID } from "multiformats/cid";
import { isMissingBlock, isSharingError } from "../errors.ts";
import { type Manifest, readManifest, singleChunkManifest } from "../files/manifest.ts";
import { DAG_PB } from "../hash.ts";
import type { BlockStore } from "../ports.ts";
import type { CatalogEntry } from "./catalog-entry.ts";
import { Holding } from "./holding.ts";

type HeldFile = Pick<CatalogEntry, "manifest" | "holding">;

/** Undefined when an inner node was lost or is damaged: without it nothing of the file can be named. */
export async function storedManifest(
  blocks: BlockStore,
  root: CID,
  sizeBytes: number,
): Promise<Manifest | undefined> {
  if (root.code !== DAG_PB) return singleChunkManifest(root, sizeBytes);
  const readNode = async (cid: CID) => {
    // The store takes for lost only what has come to harm for good.
    blocks.doubt(cid);
    return await blocks.read(cid, undefined, new AbortController().signal);
  };
  try {
    return (await readManifest(root, readNode)).manifest;
  } catch (error) {
    if (isSharingError(error, "bad_manifest") || isMissingBlock(error)) return undefined;
    throw error;
  }
}

export async function findHeld(blocks: BlockStore, manifest: Manifest): Promise<Holding> {
  const holding = new Holding(manifest.chunkCount);
  await markStored(blocks, { manifest, holding });
  return holding;
}

/** What has come of the file with others meanwhile is held, too. */
export async function markStored(blocks: BlockStore, { manifest, holding }: HeldFile): Promise<void> {
  for (let index = 0; index < manifest.chunkCount; index++) {
    if (!holding.has(index) && (await blocks.has(manifest.chunkCid(index)))) holding.mark(index);
  }
}

/** What the medium lost as it was to be made durable, whoever asked for that, is held no longer. */
export async function unmarkLost(blocks: BlockStore, { manifest, holding }: HeldFile): Promise<void> {
  for (let index = 0; index < manifest.chunkCount; index++) {
    if (holding.has(index) && !(await blocks.has(manifest.chunkCid(index)))) holding.unmark(index);
  }
}
