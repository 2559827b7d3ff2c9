import { expect, it } from "vitest";
import { BlockUses } from "../../../src/sharing/block-uses.ts";
import { MemoryBlockStore } from "../../../src/sharing/memory-block-store.ts";
import { addBlock } from "../../contracts/add-block.ts";
import { gate, randomFile } from "./hub.ts";

it("a block is wanted again though its deletion, which that waited for, fails", async () => {
  const blocks = new MemoryBlockStore();
  const cid = await addBlock(blocks, randomFile(10), 0x55);
  const uses = new BlockUses(blocks);
  await uses.retain(cid);
  const [remove, failing] = [blocks.delete.bind(blocks), gate()];
  blocks.delete = async () => {
    await failing.opened;
    throw new Error("the disk is bad");
  };
  const deletion = uses.release([cid]);
  const wanted = uses.retain(cid);
  failing.open();
  await expect(deletion).rejects.toThrow("the disk is bad");
  await wanted;
  blocks.delete = remove;
  await uses.release([cid]);
  expect(blocks.usedBytes).toBe(0);
});
