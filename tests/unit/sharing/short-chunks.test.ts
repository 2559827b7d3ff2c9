/** A file that says that its chunks are longer than they are: their hashes are right, and so is its own. */
import type { CID } from "multiformats/cid";
import { expect, it } from "vitest";
import { buildDag } from "../../../src/sharing/files/manifest.ts";
import { blockCid, RAW } from "../../../src/sharing/hash.ts";
import { CHUNK_BYTES } from "../../../src/sharing/limits.ts";
import { MemoryBlockStore } from "../../../src/sharing/memory/memory-block-store.ts";
import { MemoryRecords } from "../../../src/sharing/memory/memory-records.ts";
import { deferred } from "../../deferred.ts";
import { bytesOf, collect, ended, Hub, randomFile } from "./hub.ts";

const never = new AbortController().signal;
const short = new Uint8Array(10).fill(1);
const last = new Uint8Array(5).fill(2);
const sizeBytes = CHUNK_BYTES + last.length;

/** A node that offers such a file, of one short chunk and its last, and one that may want it. */
async function openSwarm() {
  const [blocks, records] = [new MemoryBlockStore(), new MemoryRecords()];
  const digests = new Uint8Array(64);
  for (const [index, bytes] of [short, last].entries()) {
    const cid = await blockCid(bytes, RAW);
    digests.set(cid.multihash.digest, 32 * index);
    await blocks.write(cid, bytes);
  }
  const { manifest, nodes } = await buildDag(digests, sizeBytes);
  for (const { cid, bytes } of nodes) await blocks.write(cid, bytes);
  const fileId = manifest.root.toString();
  await records.put("files", fileId, { name: "x", sizeBytes, createdAt: new Date(0).toISOString() });
  const hub = new Hub();
  const [seed, own] = [await hub.join("seed", { blocks, records }), await hub.join("own")];
  return { fileId, seed, own };
}

it("is not downloaded, and nobody is struck for it", async () => {
  const { fileId, own } = await openSwarm();
  for (let again = 0; again < 4; again++) {
    const { id } = await own.node.download({ fileId, outputPath: `out ${again}` });
    expect(await ended(own.node, id)).toBe("transfer_failed");
    expect(own.node.transfer(id).error).toMatch(/not as long/);
  }
  expect([own.node.file(fileId).complete, own.outputs.size, own.banned.size]).toEqual([false, 0, 0]);
});

it("is not downloaded where its chunk is here by another file, nor read", async () => {
  const { fileId, own } = await openSwarm();
  await own.node.share(bytesOf(short), { name: "short" });
  const { id } = await own.node.download({ fileId, outputPath: "out" });
  expect(await ended(own.node, id)).toBe("transfer_failed");
  expect(own.outputs.size).toBe(0);
  await ended(own.node, (await own.node.download({ fileId })).id);
  const reading = collect(own.node.read(fileId, { start: 0, end: sizeBytes }, never));
  await expect(reading).rejects.toMatchObject({ name: "bad_manifest" });
});

it("is not what a peer makes of a file by fewer bytes that are none of it: that is struck, and others bring it", async () => {
  const [hub, lied, struck] = [new Hub(), deferred(), deferred<object | undefined>()];
  const lie = (cid: CID, block: Uint8Array) => {
    if (cid.code !== RAW) return block;
    lied.resolve();
    return short;
  };
  const wait = async (cid: CID, block: Uint8Array) => {
    if (cid.code === RAW) await lied.promise;
    return block;
  };
  const [liar, honest] = [
    await hub.join("liar", { manners: { answer: lie } }),
    await hub.join("honest", { manners: { answer: wait } }),
  ];
  const bytes = randomFile(2 * CHUNK_BYTES);
  for (const { node } of [liar, honest]) await node.share(bytesOf(bytes), { name: "x" });
  const warn = (what: string, details?: object) => void (what === "peer struck" && struck.resolve(details));
  const { node } = await hub.join("own", { log: { debug: () => {}, info: () => {}, warn } });
  const { id } = await node.download({ fileId: honest.node.files()[0]?.id as string });
  expect(await ended(node, id)).toBe("transfer_complete");
  expect(await struck.promise).toMatchObject({ peerId: "liar" });
});

it("is not read from who offers it", async () => {
  const { fileId, own } = await openSwarm();
  await expect(own.node.readOffered(fileId, 2 * sizeBytes, never)).rejects.toMatchObject({
    name: "no_provider",
    cause: { name: "bad_manifest" },
  });
});
