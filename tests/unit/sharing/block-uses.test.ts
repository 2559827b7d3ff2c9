/** Which files use a block, and when it is deleted: src/sharing/catalog/block-uses. */
import type { CID } from "multiformats/cid";
import { describe, expect, it, vi } from "vitest";
import { BlockUses } from "../../../src/sharing/catalog/block-uses.ts";
import { DELETES_AT_ONCE } from "../../../src/sharing/limits.ts";
import { MemoryBlockStore } from "../../../src/sharing/memory/memory-block-store.ts";
import type { Log } from "../../../src/sharing/ports.ts";
import { addBlock } from "../../contracts/add-block.ts";
import { settled } from "../hand-clock.ts";
import { gate, randomFile } from "./hub.ts";

async function store({ blockCount }: { blockCount: number }) {
  const blocks = new MemoryBlockStore();
  const warnings: unknown[] = [];
  const log: Log = { debug: () => {}, info: () => {}, warn: (_, details) => void warnings.push(details) };
  const cids: CID[] = [];
  while (cids.length < blockCount) cids.push(await addBlock(blocks, randomFile(10), 0x55));
  const uses = new BlockUses(blocks, log);
  const bad = new Set<CID>();
  const remove = blocks.delete.bind(blocks);
  blocks.delete = async (cid) => {
    if ([...bad].some((other) => other.equals(cid))) throw new Error("the disk is bad");
    await remove(cid);
  };
  const isThere = () => Promise.all(cids.map((cid) => blocks.has(cid)));
  return { blocks, uses, cids: cids as [CID, CID, CID], bad, warnings, isThere };
}

it.each(["release", "sweep"] as const)(
  "deletes so many blocks at a time, and the rest: %s",
  async (deletes) => {
    const { blocks, uses, cids, isThere } = await store({ blockCount: 2 * DELETES_AT_ONCE + 1 });
    const deleted = vi.spyOn(blocks, "deleteMany");
    await uses[deletes](cids);
    expect(deleted.mock.calls.map(([some]) => (some as CID[]).length)).toEqual([
      DELETES_AT_ONCE,
      DELETES_AT_ONCE,
      1,
    ]);
    expect(await isThere()).not.toContain(true);
  },
);

describe("a block whose deletion fails", () => {
  it("is of no file any more, holds up no others, and is told of", async () => {
    const { uses, cids, bad, warnings, isThere } = await store({ blockCount: 3 });
    for (const cid of cids) await uses.retain(cid);
    bad.add(cids[1]);
    await uses.release(cids);
    expect(await isThere()).toEqual([false, true, false]);
    expect(cids.map((cid) => uses.has(cid))).toEqual([false, false, false]);
    expect(warnings).toEqual([{ blockCount: 1, error: new Error("the disk is bad") }]);
  });

  it("is told of to nobody where its store has closed: the next start deletes it", async () => {
    const { blocks, uses, cids, warnings } = await store({ blockCount: 1 });
    await uses.retain(cids[0]);
    await blocks.close();
    await uses.release(cids);
    expect(warnings).toEqual([]);
  });

  it("goes with the next that are deleted, but for one that is wanted again", async () => {
    const { uses, cids, bad, isThere } = await store({ blockCount: 3 });
    const [first, second, other] = cids;
    for (const cid of cids) await uses.retain(cid);
    bad.add(first).add(second);
    await uses.release([first, second]);
    bad.clear();
    await uses.retain(second);
    await uses.release([other]);
    expect(await isThere()).toEqual([false, true, false]);
    await uses.release([second]);
    expect(await isThere()).toEqual([false, false, false]);
  });

  it("keeps no node from its start", async () => {
    const { uses, cids, bad, warnings, isThere } = await store({ blockCount: 2 });
    bad.add(cids[0]);
    await uses.sweep();
    expect([await isThere(), warnings.length]).toEqual([[true, false], 1]);
  });

  it("is waited for by whoever wants it again", async () => {
    const { blocks, uses, cids } = await store({ blockCount: 1 });
    const [cid] = cids;
    await uses.retain(cid);
    const [remove, failing] = [blocks.delete, gate()];
    blocks.delete = async () => {
      await failing.opened;
      throw new Error("the disk is bad");
    };
    const steps: string[] = [];
    const deletion = uses.release([cid]).then(() => steps.push("deleted"));
    const wanted = uses.retain(cid).then(() => steps.push("wanted"));
    await settled();
    expect(steps).toEqual([]);
    failing.open();
    await Promise.all([deletion, wanted]);
    blocks.delete = remove;
    await uses.release([cid]);
    expect(blocks.usedBytes).toBe(0);
  });

  it("is waited for also where it is tried again before others of the first try are gone", async () => {
    const { blocks, uses, cids, bad } = await store({ blockCount: 2 });
    const [cid, other] = cids;
    for (const each of cids) await uses.retain(each);
    const remove = blocks.delete;
    const [firstTry, secondTry] = [gate(), gate()];
    blocks.delete = async (each) => {
      if (each.equals(other)) await firstTry.opened;
      else if (!bad.has(cid)) await secondTry.opened;
      await remove(each);
    };
    bad.add(cid);
    const first = uses.release([cid, other]);
    await settled();
    bad.clear();
    const second = uses.release([]);
    firstTry.open();
    await first;
    const steps: string[] = [];
    const wanted = uses.retain(cid).then(() => steps.push("wanted"));
    await settled();
    expect(steps).toEqual([]);
    secondTry.open();
    await Promise.all([second, wanted]);
  });
});
