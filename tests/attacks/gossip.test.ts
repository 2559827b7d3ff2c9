/** Attack 17 on running nodes: what hostile peers say on the announcement topic and put into the DHT. */
import { CID } from "multiformats/cid";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { MAX_ANNOUNCEMENT_BYTES } from "../../src/network/announcing/limits.ts";
import { type ShoalProcess, Shoals, transferEnd } from "../interop/shoal-process.ts";
import { until } from "../interop/until.ts";
import { baitedFile } from "./baited-file.ts";
import type { HostileNode } from "./hostile-node.ts";
import { startHostile } from "./start-hostile.ts";
import { expectUnharmed } from "./unharmed.ts";

let shoals: Shoals;
let victim: ShoalProcess;
let honest: ShoalProcess;
let hostile: HostileNode;
let epoch: number;

beforeAll(async () => {
  shoals = new Shoals();
  victim = await shoals.start();
  honest = await shoals.start({ bootstrap: [victim] });
});
afterAll(() => shoals[Symbol.asyncDispose]());
beforeEach(async () => {
  hostile = await startHostile();
  epoch = Date.now() - 5000;
  await hostile.offerNothing(epoch);
  await hostile.follow(victim);
  await hostile.say({ kind: "hello", epoch, seq: 1, revision: 0, addresses: [] });
});
afterEach(async () => {
  await expectHonestNodeIsHeard();
  await expectUnharmed(victim, honest);
});

async function offered(name: string) {
  return (await victim.client.networkFiles()).files.filter((file) => file.name === name);
}

let honestCount = 0;
async function expectHonestNodeIsHeard(): Promise<{ id: string; name: string }> {
  const name = `honest ${++honestCount}`;
  const { file_id: id } = await honest.client.upload(new TextEncoder().encode(name), { name });
  await until("the honest node is heard", async () => (await offered(name)).length === 1);
  return { id, name };
}

const files = (count: number, name: string) =>
  Promise.all(
    Array.from({ length: count }, async (_, index) => ({
      ...(await baitedFile(name, 8)).announcement,
      name: count === 1 ? name : `${name} ${index}`,
    })),
  );

describe("a peer of the swarm", () => {
  it("is heard when it speaks well, and forgotten once it is gone", async () => {
    await hostile.say({ kind: "add", epoch, seq: 2, revision: 1, files: await files(1, "well said") });
    await until("it is offered", async () => (await offered("well said")).length === 1);
    await hostile.stop();
    await until("it is forgotten", async () => (await offered("well said")).length === 0);
  });

  it("that talks nonsense, or too long, is not listened to", async () => {
    for (let round = 0; round < 40; round++) await hostile.publish(Uint8Array.of(1, 1, 1, 1, 1, 0xff, round));
    await hostile.publish(new Uint8Array(MAX_ANNOUNCEMENT_BYTES + 1).fill(1));
    // Its own libp2p may refuse to send a frame as long as this.
    await hostile.publish(new Uint8Array(2 * 1024 * 1024).fill(1)).catch(() => undefined);
    await expectHonestNodeIsHeard();
    const { files: all } = await victim.client.networkFiles();
    expect(all.every(({ name }) => name.startsWith("honest"))).toBe(true);
  });

  it("can't take back another's files, nor bring back its own by repeating itself", async () => {
    const [file] = await files(1, "once");
    if (file === undefined) throw new Error("no file");
    await hostile.say({ kind: "add", epoch, seq: 2, revision: 1, files: [file] });
    await until("it is offered", async () => (await offered("once")).length === 1);
    const target = await expectHonestNodeIsHeard();
    const fileIds = [file.fileId, target.id];
    await hostile.say({ kind: "remove", epoch, seq: 3, revision: 2, fileIds });
    await until("its own is gone", async () => (await offered("once")).length === 0);
    await hostile.say({ kind: "add", epoch, seq: 2, revision: 1, files: [file] });
    await hostile.say({ kind: "add", epoch: epoch - 1, seq: 9, revision: 3, files: [file] });
    await expectHonestNodeIsHeard();
    expect(await offered("once")).toEqual([]);
    expect(await offered(target.name)).toHaveLength(1);
  });

  it("that floods the topic is cut to its rate", async () => {
    const spam = await files(300, "spam");
    for (const [index, file] of spam.entries()) {
      await hostile.say({ kind: "add", epoch, seq: index + 2, revision: index + 1, files: [file] });
    }
    await expectHonestNodeIsHeard();
    const taken = await until("some of it is taken", async () => {
      const { files: all } = await victim.client.networkFiles({ limit: 1000 });
      return all.filter(({ name }) => name.startsWith("spam")).length;
    });
    expect(taken).toBeLessThan(spam.length);
  });

  it("that follows topics without end, and publishes on others, changes nothing", async () => {
    const { gossip } = hostile.node.services;
    for (let topic = 0; topic < 2000; topic++) gossip.subscribe(`spam/${topic}`);
    await expectHonestNodeIsHeard();
  });

  it("whose provider records are lies delays a download and does not stop it", async () => {
    const file = await baitedFile("lied about.bin", 100_000);
    const liars = await Promise.all(Array.from({ length: 5 }, () => startHostile("127.0.0.4")));
    for (const liar of liars) {
      await liar.offer(file.announcement);
      await liar.connect(victim);
      const provide = async () => {
        for await (const _ of liar.node.services.dht.provide(CID.parse(file.announcement.fileId)));
      };
      await provide();
    }
    await until("the lies are believed", async () => {
      const [offer] = await offered("lied about.bin");
      return offer !== undefined && offer.peers.length >= liars.length;
    });
    const { transfer_id } = await victim.client.download({ file_id: file.announcement.fileId });
    await honest.client.upload(file.bytes, { name: "honest copy" });
    expect(await transferEnd(victim, transfer_id)).toMatchObject({ status: "completed" });
  });
});
