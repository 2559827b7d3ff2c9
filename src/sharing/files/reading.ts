/**
 * Bytes of a file in order, verified as they are read. Chunks that are still downloading are waited for and
 * fetched first; those that turn out to be lost are fetched again. Called by the node for the API's content routes.
 */
import type { Catalog } from "../catalog/catalog.ts";
import type { CatalogEntry } from "../catalog/catalog-entry.ts";
import type { Losses } from "../catalog/losses.ts";
import { collectBytes } from "../collect-bytes.ts";
import { isMissingBlock, isSharingError, SharingError } from "../errors.ts";
import { verifyBlock } from "../hash.ts";
import { CHUNK_BYTES, READ_CONCURRENCY } from "../limits.ts";
import type { BlockStore } from "../ports.ts";
import { unlessAborted } from "../unless-aborted.ts";
import { expectLength } from "./manifest.ts";

export interface ReadingPorts {
  catalog: Catalog;
  blocks: BlockStore;
  losses: Losses;
  /** May chunks of this file still come soon? */
  isBusy: (fileId: string) => boolean;
  /** What brings chunks of this file waits for no turn. */
  hasten: (fileId: string) => void;
}

/**
 * Has what is lost of a file fetched again.
 * @throws SharingError `stopped` where the byte at `start` is not here and nobody brings it now
 */
export async function expectByte(
  ports: ReadingPorts,
  fileId: string,
  start: number,
  signal: AbortSignal,
): Promise<void> {
  const { catalog, losses, isBusy } = ports;
  const chunk = Math.floor(start / CHUNK_BYTES);
  const isHere = catalog.find(fileId)?.holding.has(chunk);
  await unlessAborted(isHere ? losses.tryToFetchAgain(fileId) : losses.fetchAgain(fileId), signal);
  if (catalog.isBroken(fileId)) {
    throw new SharingError("stopped", "What names the chunks of this file was lost; it is fetched again");
  }
  if (!catalog.get(fileId).holding.has(chunk) && !isBusy(fileId)) {
    throw new SharingError("stopped", "These bytes are not here, and no download brings them now: resume it");
  }
}

/** Bytes `start` up to but not including `end`. @throws SharingError `stopped` when a chunk will not come, `bad_manifest` */
export async function* readFile(
  ports: ReadingPorts,
  entry: CatalogEntry,
  { start, end }: { start: number; end: number },
  signal: AbortSignal,
): AsyncIterable<Uint8Array> {
  const first = Math.floor(start / CHUNK_BYTES);
  const endChunk = Math.ceil(end / CHUNK_BYTES);
  const reader = {};
  const ahead: Promise<Uint8Array>[] = [];
  let next = first;
  try {
    for (let index = first; index < endChunk; index++) {
      // Also of a file that is here: what of it turns out to be lost is wanted from then on.
      entry.demand.move(reader, index, endChunk);
      while (next < Math.min(endChunk, index + READ_CONCURRENCY)) {
        const chunk = readChunk(ports, entry, next++, signal);
        // It is awaited below; until then a failure must not count as unhandled.
        chunk.catch(() => {});
        ahead.push(chunk);
      }
      const bytes = (await ahead.shift()) as Uint8Array;
      const offset = index * CHUNK_BYTES;
      yield bytes.subarray(Math.max(0, start - offset), Math.min(bytes.length, end - offset));
    }
  } finally {
    entry.demand.leave(reader);
  }
}

async function readChunk(
  ports: ReadingPorts,
  entry: CatalogEntry,
  index: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const { blocks, losses } = ports;
  const cid = entry.manifest.chunkCid(index);
  for (let isAgain = false; ; isAgain = true) {
    if (!entry.holding.has(index)) {
      await unlessAborted(losses.fetchAgain(entry.id), signal);
      await chunkHeld(ports, entry, index, signal);
    }
    try {
      const bytes = await collectBytes(blocks.get(cid, { signal }));
      await verifyBlock(cid, bytes);
      expectLength(entry.manifest, index, bytes);
      return bytes;
    } catch (error) {
      if (!isMissingBlock(error) && !isSharingError(error, "hash_mismatch")) throw error;
      if (isAgain) throw new SharingError("stopped", "the storage does not keep a chunk", { cause: error });
      await unlessAborted(losses.check(entry, [index]), signal);
    }
  }
}

/** Settles once the chunk is held. */
async function chunkHeld(
  { catalog, isBusy, hasten }: ReadingPorts,
  entry: CatalogEntry,
  index: number,
  signal: AbortSignal,
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const check = () => {
      if (signal.aborted) settle(() => reject(signal.reason));
      else if (entry.holding.has(index)) settle(resolve);
      else if (catalog.find(entry.id) !== entry || !isBusy(entry.id)) {
        settle(() => reject(new SharingError("stopped", "the download ended before these bytes came")));
      } else hasten(entry.id);
    };
    const stopWatching = entry.holding.watch(check);
    const settle = (finish: () => void) => {
      signal.removeEventListener("abort", check);
      stopWatching();
      finish();
    };
    signal.addEventListener("abort", check, { once: true });
    check();
  });
}
