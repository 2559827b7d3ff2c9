/**
 * What this node gives to other peers: blocks of the files in its catalog, and which chunks of a file it holds.
 * Handed to the exchange by the node; nothing that is not part of a file here can be read through it.
 */
import type { CID } from "multiformats/cid";
import { isMissingBlock } from "../errors.ts";
import { DAG_PB } from "../hash.ts";
import { HAVE_BATCH_MS, MAX_HAVE_BATCH } from "../limits.ts";
import type { BlockSource, BlockStore, Clock, HaveUpdate } from "../ports.ts";
import type { Catalog } from "./catalog.ts";
import type { Losses } from "./losses.ts";

export interface ServingPorts {
  catalog: Catalog;
  blocks: BlockStore;
  clock: Clock;
  losses: Losses;
}

export function createBlockSource({ catalog, blocks, clock, losses }: ServingPorts): BlockSource {
  return {
    buffers: blocks.buffers,
    shares: (cid) => catalog.uses(cid),
    doubt: (cid) => blocks.doubt(cid),
    readBlock,
    haves,
  };

  async function readBlock(
    cid: CID,
    signal: AbortSignal,
    into?: Uint8Array,
  ): Promise<Uint8Array | undefined> {
    if (!catalog.uses(cid)) return undefined;
    try {
      return await blocks.read(cid, into, signal);
    } catch (error) {
      if (!isMissingBlock(error)) throw error;
      if (cid.code === DAG_PB) return await losses.restoreNode(cid);
      losses.suspect(cid);
      return undefined;
    }
  }

  async function* haves(fileId: string, chunkCount: number, signal: AbortSignal): AsyncIterable<HaveUpdate> {
    const entry = catalog.find(fileId);
    if (entry?.manifest.chunkCount !== chunkCount) return;
    let arrived: number[] = [];
    let isStale = true;
    let wake = () => {};
    const onChange = (index?: number) => {
      if (index !== undefined && arrived.length < MAX_HAVE_BATCH) arrived.push(index);
      else isStale = true;
      wake();
    };
    const onAbort = () => wake();
    const stopWatching = entry.holding.watch(onChange);
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      while (!signal.aborted && catalog.find(fileId) === entry) {
        const update: HaveUpdate =
          isStale || entry.holding.isComplete ? entry.holding.state() : { kind: "have", indexes: arrived };
        arrived = [];
        isStale = false;
        yield update;
        if (arrived.length === 0 && !isStale && !signal.aborted) {
          await new Promise<void>((resolve) => (wake = resolve));
        }
        // Chunks come in bursts: one update for all of a short while.
        if (!entry.holding.isComplete && !signal.aborted) await clock.sleep(HAVE_BATCH_MS);
      }
    } finally {
      signal.removeEventListener("abort", onAbort);
      stopWatching();
    }
  }
}
