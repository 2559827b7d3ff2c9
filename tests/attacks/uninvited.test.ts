/** Attack 18 on a running node: peers that bring what nobody asked for, or read what nobody shared. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CID } from "multiformats/cid";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { RAW } from "../../src/sharing/hash.ts";
import { type ShoalProcess, Shoals } from "../interop/shoal-process.ts";
import { until } from "../interop/until.ts";
import { gets } from "./asked-block.ts";
import { baitedFile, sendBlock } from "./baited-file.ts";
import { startHostile } from "./start-hostile.ts";
import { expectUnharmed } from "./unharmed.ts";

let shoals: Shoals;
let victim: ShoalProcess;

beforeAll(async () => {
  shoals = new Shoals();
  victim = await shoals.start();
});
afterEach(() => expectUnharmed(victim));
afterAll(() => shoals[Symbol.asyncDispose]());

/** All that the victim has stored, and what it says of it. */
async function stored() {
  const { storage_used } = await victim.client.nodeInfo();
  return { storage_used, files: (await victim.client.files()).files };
}

/** Whether the node has heard of the file. */
async function isOffered(node: ShoalProcess, fileId: string): Promise<boolean> {
  return (await node.client.networkFiles()).files.some(({ id }) => id === fileId);
}

describe("a peer that brings blocks uninvited", () => {
  it("is cut off, and nothing of it is stored", async () => {
    const before = await stored();
    const hostile = await startHostile();
    const peer = await hostile.ask(victim);
    sendBlock(peer, 0, new Uint8Array(500_000));
    await peer.untilClosed();
    expect(await stored()).toEqual(before);
  });

  it("can't store by the DHT, nor make the node fetch by announcing", async () => {
    const before = await stored();
    const file = await baitedFile("take me.bin", 100_000);
    const hostile = await startHostile();
    let askedCount = 0;
    await hostile.answer(() => {
      askedCount += 1;
    });
    await hostile.offer(file.announcement);
    await hostile.connect(victim);
    await until("it is offered", () => isOffered(victim, file.announcement.fileId));
    const put = async () => {
      const { dht } = hostile.node.services;
      for await (const _ of dht.put(new TextEncoder().encode("/v/evil"), new Uint8Array(10_000)));
    };
    // It is refused with an error or by no answer.
    await put().catch(() => undefined);
    expect(askedCount).toBe(0);
    expect(await stored()).toEqual(before);
  });
});

describe("a peer that reads", () => {
  it("gets what is shared, and nothing that only lies on the disk", async () => {
    const shared = new TextEncoder().encode("shared with all");
    const { file_id } = await victim.client.upload(shared, { name: "shared.txt" });
    const beside = await baitedFile("beside.bin", 1000);
    await writeFile(join(victim.folder, "shared", "beside.bin"), beside.bytes);
    const hostile = await startHostile();
    const peer = await hostile.ask(victim);
    expect(await gets(peer, 0, file_id)).toBe(true);
    expect(await gets(peer, 1, beside.announcement.fileId)).toBe(false);
    // The same digest under another codec is another block.
    const { multihash } = CID.parse(file_id);
    expect(await gets(peer, 2, CID.createV1(0x70, multihash))).toBe(false);
  });

  it("finds no gateway unless it is switched on", async () => {
    const { file_id } = await victim.client.upload(new Uint8Array([1, 2, 3]), { name: "shared.bin" });
    const headers = { Authorization: `Bearer ${victim.apiKey}` };
    for (const query of ["", "?format=raw", "?format=car"]) {
      const url = `${victim.url}/ipfs/${file_id}${query}`;
      expect((await fetch(url)).status).toBe(401);
      expect((await fetch(url, { headers })).status).toBe(404);
    }
  });
});

describe("a deleted file", () => {
  it("is announced and served no more from that moment on", async () => {
    const before = await stored();
    const { file_id } = await victim.client.upload(new Uint8Array(200_000).fill(7), { name: "gone.bin" });
    const other = await shoals.start({ bootstrap: [victim] });
    await until("it is known", () => isOffered(other, file_id));
    const hostile = await startHostile();
    const peer = await hostile.ask(victim);
    const { digest } = CID.parse(file_id).multihash;
    peer.send({ type: "watch", watchId: 0, chunkCount: 1, codec: RAW, digest });
    await peer.untilReceived("have_all");
    expect(await gets(peer, 0, file_id)).toBe(true);

    await victim.client.deleteFile(file_id);
    await peer.untilReceived("watch_end");
    expect(await gets(peer, 1, file_id)).toBe(false);
    await until("others know it", async () => !(await isOffered(other, file_id)));
    expect(await stored()).toEqual(before);
    await expectUnharmed(other);
  });
});
