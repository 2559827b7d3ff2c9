/** A chunk that is asked anew of a peer whose first answer, given up since another was faster, is still being stored. */
import type { CID } from "multiformats/cid";
import { expect, it } from "vitest";
import { RAW } from "../../../src/sharing/hash.ts";
import { CHUNK_BYTES } from "../../../src/sharing/limits.ts";
import { MemoryBlockStore } from "../../../src/sharing/memory/memory-block-store.ts";
import { HandClock } from "../hand-clock.ts";
import { bytesOf, collect, gate, Hub, randomFile } from "./hub.ts";

const never = new AbortController().signal;

it("the late answer serves, and the second request is taken back", async () => {
  const clock = new HandClock();
  const hub = new Hub(clock);
  const bytes = randomFile(2 * CHUNK_BYTES);
  const [storing, rest] = [gate(), gate()];
  class SlowBlockStore extends MemoryBlockStore {
    #count = 0;
    override async putVerified(cid: CID, chunk: Uint8Array): Promise<void> {
      this.#count += 1;
      if (this.#count === 1) await storing.opened;
      await super.putVerified(cid, chunk);
    }
  }
  /** Gives the first chunk once, and all else when the test is over. */
  const join = async (id: string) => {
    const asked: AbortSignal[] = [];
    const answer = async (cid: CID, block: Uint8Array, signal: AbortSignal) => {
      const isFirst = block.length === CHUNK_BYTES && block[0] === bytes[0] && block[1] === bytes[1];
      if (isFirst) asked.push(signal);
      if (cid.code === RAW && !(isFirst && asked.length === 1)) await rest.opened;
      return block;
    };
    const { node } = await hub.join(id, { manners: { answer } });
    const { file } = await node.share(bytesOf(bytes), { name: "x" });
    return { asked, fileId: file.id };
  };
  const { asked, fileId } = await join("a");
  const { node, blocks } = await hub.join("leecher", { blocks: new SlowBlockStore() });
  const { id } = await node.download({ fileId });
  await clock.passUntil(() => asked.length === 1);
  await join("b");
  await clock.passUntil(() => node.transfer(id).progress === 1 / 2);
  expect(asked[0]?.aborted).toBe(true);

  for await (const { cid } of blocks.getAll()) if (cid.code === RAW) await blocks.delete(cid);
  const reading = collect(node.read(fileId, { start: 0, end: 1 }, never));
  await clock.passUntil(() => asked.length === 2);
  storing.open();
  expect(await reading).toEqual(Buffer.from(bytes.subarray(0, 1)));
  expect(asked[1]?.aborted).toBe(true);
  rest.open();
  await clock.passUntil(() => node.transfer(id).status === "completed");
});
