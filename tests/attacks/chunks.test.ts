/**
 * Attack 13 on running nodes: a peer that lies about chunks. The victim first has nobody but the liar, until that
 * one is banned; then an honest node shares the file, and the transfer must go on with it to the right bytes.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ShoalProcess, Shoals, transferEnd } from "../interop/shoal-process.ts";
import { until } from "../interop/until.ts";
import { baitedFile, type ChunkAnswer, sendBlock, serveBaited } from "./baited-file.ts";
import { chunkLies, withOneBitChanged } from "./chunk-lies.ts";
import { HostileNode } from "./hostile-node.ts";
import { expectUnharmed } from "./unharmed.ts";

const MIB = 1024 * 1024;

let shoals: Shoals;
let victim: ShoalProcess;
let honest: ShoalProcess;
const hostiles: HostileNode[] = [];

beforeAll(async () => {
  shoals = new Shoals();
  victim = await shoals.start();
  honest = await shoals.start({ bootstrap: [victim] });
});
afterAll(async () => {
  await Promise.all(hostiles.map((hostile) => hostile.stop()));
  await shoals[Symbol.asyncDispose]();
});

async function startHostile(): Promise<HostileNode> {
  const hostile = await HostileNode.start();
  hostiles.push(hostile);
  return hostile;
}

describe("a peer that sends", () => {
  it.concurrent.each(chunkLies)(
    "%s is struck and banned, and the others finish the transfer",
    async (_what, lie) => {
      const file = await baitedFile("bait.bin", 4 * MIB + 77);
      const { fileId } = file.announcement;
      const liar = await startHostile();
      await liar.answer(serveBaited(file, lie));
      await liar.offer(file.announcement);
      await liar.connect(victim);

      const output = `${fileId}.bin`;
      const { transfer_id } = await victim.client.download({ file_id: fileId, output_path: output });
      await until("the liar is banned", () =>
        victim.log.some((line) => line.includes("peer banned") && line.includes(liar.id)),
      );
      await until("its connection is cut", () => !liar.isConnected);
      const { peers } = await victim.client.peers();
      expect(peers.map(({ id }) => id)).not.toContain(liar.id);

      await honest.client.upload(file.bytes, { name: "honest.bin" });
      const end = await transferEnd(victim, transfer_id);
      expect(end).toMatchObject({ status: "completed", progress: 1 });
      const copy = await readFile(join(victim.folder, "downloads", output));
      expect(copy.equals(file.bytes)).toBe(true);
      await expectUnharmed(victim, honest);
    },
  );

  it("one wrong chunk among right ones is struck once and may go on", async () => {
    const file = await baitedFile("bait.bin", 4 * MIB);
    const clumsy = await startHostile();
    const answer: ChunkAnswer = (peer, id, chunk, count) =>
      sendBlock(peer, id, count === 0 ? withOneBitChanged(chunk) : chunk);
    await clumsy.answer(serveBaited(file, answer));
    await clumsy.offer(file.announcement);
    await clumsy.connect(victim);
    const { transfer_id } = await victim.client.download({ file_id: file.announcement.fileId });
    const end = await transferEnd(victim, transfer_id);
    expect(end).toMatchObject({ status: "completed" });
    expect(end.peers).toMatchObject([{ id: clumsy.id, chunks_downloaded: 4 }]);
    const strikes = () =>
      victim.log.filter((line) => line.includes("peer struck") && line.includes(clumsy.id));
    await until("the strike is logged", () => strikes().length > 0);
    expect(strikes()).toHaveLength(1);
    expect(clumsy.isConnected).toBe(true);
    await expectUnharmed(victim);
  });

  it("lies is still banned after a restart, and can't come back", async () => {
    const file = await baitedFile("bait.bin", 4 * MIB);
    const liar = await startHostile();
    await liar.answer(serveBaited(file, (peer, id) => sendBlock(peer, id, new Uint8Array(10))));
    await liar.offer(file.announcement);
    const node = await shoals.start();
    await liar.connect(node);
    await node.client.download({ file_id: file.announcement.fileId });
    await until("the liar is banned", () =>
      node.log.some((line) => line.includes("peer banned") && line.includes(liar.id)),
    );
    await node.kill();
    const again = await shoals.start({ folder: node.folder });
    await liar.connect(again).catch(() => undefined);
    await until("the liar is refused", () => !liar.isConnected);
    expect((await again.client.peers()).peers).toEqual([]);
    expect((await again.client.networkFiles()).files).toEqual([]);
  });
});
