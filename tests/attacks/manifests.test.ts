/**
 * Attack 14 on a running node: manifests whose bytes hash to the file id and lie all the same, and announcements
 * that lie about names and sizes.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ShoalProcess, Shoals, transferEnd } from "../interop/shoal-process.ts";
import { until } from "../interop/until.ts";
import { baitedFile, sendBlock, serveBaited } from "./baited-file.ts";
import { HostileNode } from "./hostile-node.ts";
import { addMessage, chunks, gossipName, manifestLies, serveLie } from "./lying-manifests.ts";
import { startHostile } from "./start-hostile.ts";
import { expectUnharmed } from "./unharmed.ts";

const MIB = 1024 * 1024;

/** Not where the liars come from, who are banned, go on dialling, and so use up what one host may. */
const ELSEWHERE = "127.0.0.5";

let shoals: Shoals;
let victim: ShoalProcess;
const hostiles: HostileNode[] = [];

beforeAll(async () => {
  shoals = new Shoals();
  victim = await shoals.start();
});
afterAll(async () => {
  await Promise.all(hostiles.map((hostile) => hostile.stop()));
  await shoals[Symbol.asyncDispose]();
});

describe("a manifest that is", () => {
  it.concurrent.each(manifestLies)(
    "%s gets its peer banned and leaves nothing behind",
    async (_what, make) => {
      const liar = await HostileNode.start();
      hostiles.push(liar);
      const fileId = await serveLie(liar, await make());
      await liar.connect(victim);
      const { transfer_id } = await victim.client.download({ file_id: fileId, output_path: `${fileId}.bin` });
      await until("the liar is banned", () =>
        victim.log.some((line) => line.includes("peer banned") && line.includes(liar.id)),
      );
      await victim.client.cancel(transfer_id);
      expect(await victim.client.transfer(transfer_id)).toMatchObject({ status: "cancelled", progress: 0 });
      await expect(victim.client.file(fileId)).rejects.toMatchObject({ status: 404 });
    },
  );

  it("only lies has stored nothing in the end", async () => {
    expect((await victim.client.files()).files).toEqual([]);
    expect((await victim.client.nodeInfo()).storage_used).toBe(0);
    await expectUnharmed(victim);
  });
});

describe("an announcement", () => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not come out
  const actedOn = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069/\\]/;

  it.each([
    "../../../../etc/cron.d/evil",
    "..\\..\\evil.bat",
    "a\u0000b.txt",
    "\u001b[2J\u001b]0;owned\u0007",
    "photo\u202egpj.exe",
    "line\r\nSet-Cookie: a=b",
    "..",
    "   ",
  ])("with the name %j shows a harmless one, on the network and once downloaded", async (name) => {
    const file = await baitedFile("unused", 1000);
    const { fileId } = file.announcement;
    const hostile = await startHostile(ELSEWHERE);
    await hostile.answer(serveBaited(file, (peer, id, bytes) => sendBlock(peer, id, bytes)));
    const epoch = Date.now() - 1000;
    await hostile.offerNothing(epoch);
    await hostile.follow(victim);
    await hostile.say({ kind: "hello", epoch, seq: 1, revision: 0, addresses: [] });
    await gossipName(hostile, epoch, fileId, name);
    const offer = await until("it is offered", async () =>
      (await victim.client.networkFiles()).files.find(({ id }) => id === fileId),
    );
    expect(offer.name).not.toMatch(actedOn);
    const { transfer_id } = await victim.client.download({ file_id: fileId });
    expect(await transferEnd(victim, transfer_id)).toMatchObject({ status: "completed" });
    const kept = await victim.client.file(fileId);
    expect(kept.name).not.toMatch(actedOn);
    expect([".", "..", ""]).not.toContain(kept.name.trim());
    for (const character of ["\u001b", "\u202e", "\u0007"]) {
      expect(victim.log.join("")).not.toContain(character);
    }
  });

  it("with a name of 4 KB, or in bad UTF-8, is dropped whole", async () => {
    const hostile = await startHostile(ELSEWHERE);
    const epoch = Date.now() - 1000;
    await hostile.offerNothing(epoch);
    await hostile.follow(victim);
    const [long = "", bad = "", good = ""] = (await chunks(3)).map(String);
    await hostile.say({ kind: "hello", epoch, seq: 1, revision: 0, addresses: [] });
    await hostile.publish(addMessage(epoch, long, new Uint8Array(4096).fill(0x61)));
    await hostile.publish(addMessage(epoch, bad, Uint8Array.of(0x61, 0xc3, 0x28)));
    await gossipName(hostile, epoch, good, "good.txt");
    const ids = async () => (await victim.client.networkFiles()).files.map(({ id }) => id);
    await until("the good one is taken", async () => (await ids()).includes(good));
    expect(await ids()).not.toContain(long);
    expect(await ids()).not.toContain(bad);
  });

  it("with the wrong size and count is corrected by the manifest", async () => {
    const file = await baitedFile("small.bin", 3 * MIB);
    const hostile = await startHostile(ELSEWHERE);
    await hostile.answer(serveBaited(file, (peer, id, bytes) => sendBlock(peer, id, bytes)));
    await hostile.offer({ ...file.announcement, sizeBytes: 2 ** 50, chunkCount: 2 ** 30 });
    await hostile.connect(victim);
    const { transfer_id } = await victim.client.download({ file_id: file.announcement.fileId });
    expect(await transferEnd(victim, transfer_id)).toMatchObject({ status: "completed", size: 3 * MIB });
    expect(await victim.client.file(file.announcement.fileId)).toMatchObject({ size: 3 * MIB, chunks: 3 });
    await expectUnharmed(victim);
  });
});
