/**
 * Attack 14 on a running node: manifests whose bytes hash to the file id and lie all the same, and announcements
 * that lie about names and sizes.
 */
import * as dagPb from "@ipld/dag-pb";
import { UnixFS, type UnixFSType } from "ipfs-unixfs";
import { CID } from "multiformats/cid";
import * as Digest from "multiformats/hashes/digest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ByteWriter } from "../../src/network/byte-fields.ts";
import { blockCid, DAG_PB, RAW } from "../../src/sharing/hash.ts";
import { type ShoalProcess, Shoals, transferEnd } from "../interop/shoal-process.ts";
import { until } from "../interop/until.ts";
import { baitedFile, digestOf, respond, sendBlock, serveBaited } from "./baited-file.ts";
import { HostileNode } from "./hostile-node.ts";
import { startHostile } from "./start-hostile.ts";
import { expectUnharmed } from "./unharmed.ts";

const MIB = 1024 * 1024;
const zeros = new Uint8Array(32);

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

/** An inner node with these links, each said to hold so many bytes of the file. */
function nodeOf(links: CID[], bytesOfEach: bigint, type: UnixFSType = "file"): Uint8Array {
  const unixfs = new UnixFS({ type, ...(type === "file" && { blockSizes: links.map(() => bytesOfEach) }) });
  const Links = links.map((Hash) => ({ Name: "", Tsize: MIB, Hash }));
  return dagPb.encode({ Data: unixfs.marshal(), Links });
}

const chunk = (seed: number) => blockCid(new Uint8Array(MIB).fill(seed), RAW);
const chunks = (count: number) => Promise.all(Array.from({ length: count }, (_, seed) => chunk(seed)));
const full = BigInt(MIB);

/** Blocks of a lying DAG, the root last. */
const lies: [what: string, make: () => Promise<Uint8Array[]>][] = [
  ["no DAG node at all", async () => [new Uint8Array(500).fill(0xff)]],
  ["an empty node", async () => [new Uint8Array(0)]],
  ["a node without links", async () => [nodeOf([], full)]],
  ["a size above what its chunks hold", async () => [nodeOf(await chunks(2), full * 1000n)]],
  ["a size below what its chunks hold", async () => [nodeOf(await chunks(9), 1n)]],
  ["a size beyond all numbers", async () => [nodeOf(await chunks(2), 2n ** 62n)]],
  ["a directory", async () => [nodeOf(await chunks(2), full, "directory")]],
  ["a symlink", async () => [nodeOf(await chunks(2), full, "symlink")]],
  [
    "more links than the profile has",
    async () => [nodeOf(await chunks(3).then((it) => Array(1500).fill(it[0])), full)],
  ],
  [
    "a link that holds its bytes itself (identity)",
    async () => [nodeOf([CID.createV1(RAW, Digest.create(0, zeros)), await chunk(1)], full)],
  ],
  [
    "a link of an unknown hash",
    async () => [nodeOf([CID.createV1(RAW, Digest.create(0x1337, zeros)), await chunk(1)], full)],
  ],
  [
    "a link of another codec",
    async () => [nodeOf([CID.createV1(0x71, Digest.create(0x12, zeros)), await chunk(1)], full)],
  ],
  [
    "a DAG deeper than any file's",
    async () => {
      const levels: Uint8Array[] = [];
      let below = await chunks(2);
      for (let level = 0; level < 5; level++) {
        const bytes = nodeOf(below, full * 2n ** BigInt(level));
        levels.push(bytes);
        const cid = await blockCid(bytes, DAG_PB);
        below = [cid, cid];
      }
      return levels;
    },
  ],
];

/** Serves the blocks as a file and gives its id; a block that is not among them is other bytes than asked for. */
async function serveLie(hostile: HostileNode, blocks: Uint8Array[]): Promise<string> {
  const byDigest = new Map<string, Uint8Array>();
  let root = "";
  for (const bytes of blocks) {
    const cid = await blockCid(bytes, DAG_PB);
    byDigest.set(digestOf(cid), bytes);
    root = cid.toString();
  }
  await hostile.answer((peer) =>
    respond(peer, ({ requestId, digest }) =>
      sendBlock(peer, requestId, byDigest.get(Buffer.from(digest).toString("hex")) ?? zeros),
    ),
  );
  await hostile.offer({ fileId: root, name: "lie.bin", sizeBytes: 2 * MIB, chunkCount: 2, complete: true });
  return root;
}

describe("a manifest that is", () => {
  it.concurrent.each(lies)("%s gets its peer banned and leaves nothing behind", async (_what, make) => {
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
  });

  it("only lies has stored nothing in the end", async () => {
    expect((await victim.client.files()).files).toEqual([]);
    expect((await victim.client.nodeInfo()).storage_used).toBe(0);
    await expectUnharmed(victim);
  });
});

/** A gossip message that adds one file under a name as it is, without the care our own encoder takes. */
function addMessage(epoch: number, fileId: string, name: Uint8Array): Uint8Array {
  const out = new ByteWriter().byte(1).byte(1).varint(epoch).varint(2).varint(1).varint(1);
  return out.raw(CID.parse(fileId).bytes).block(name).varint(1000).varint(1).byte(1).finish();
}

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
    const hostile = await startHostile();
    await hostile.answer(serveBaited(file, (peer, id, bytes) => sendBlock(peer, id, bytes)));
    const epoch = Date.now() - 1000;
    await hostile.offerNothing(epoch);
    await hostile.follow(victim);
    await hostile.say({ kind: "hello", epoch, seq: 1, revision: 0, addresses: [] });
    await hostile.publish(addMessage(epoch, fileId, new TextEncoder().encode(name)));
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
    const hostile = await startHostile();
    const epoch = Date.now() - 1000;
    await hostile.offerNothing(epoch);
    await hostile.follow(victim);
    const [long = "", bad = "", good = ""] = (await chunks(3)).map(String);
    await hostile.say({ kind: "hello", epoch, seq: 1, revision: 0, addresses: [] });
    await hostile.publish(addMessage(epoch, long, new Uint8Array(4096).fill(0x61)));
    await hostile.publish(addMessage(epoch, bad, Uint8Array.of(0x61, 0xc3, 0x28)));
    await hostile.publish(addMessage(epoch, good, new TextEncoder().encode("good.txt")));
    const ids = async () => (await victim.client.networkFiles()).files.map(({ id }) => id);
    await until("the good one is taken", async () => (await ids()).includes(good));
    expect(await ids()).not.toContain(long);
    expect(await ids()).not.toContain(bad);
  });

  it("with the wrong size and count is corrected by the manifest", async () => {
    const file = await baitedFile("small.bin", 3 * MIB);
    const hostile = await startHostile();
    await hostile.answer(serveBaited(file, (peer, id, bytes) => sendBlock(peer, id, bytes)));
    await hostile.offer({ ...file.announcement, sizeBytes: 2 ** 50, chunkCount: 2 ** 30 });
    await hostile.connect(victim);
    const { transfer_id } = await victim.client.download({ file_id: file.announcement.fileId });
    expect(await transferEnd(victim, transfer_id)).toMatchObject({ status: "completed", size: 3 * MIB });
    expect(await victim.client.file(file.announcement.fileId)).toMatchObject({ size: 3 * MIB, chunks: 3 });
    await expectUnharmed(victim);
  });
});
