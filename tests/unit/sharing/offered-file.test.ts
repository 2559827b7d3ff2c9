/** Files that others offer, read and not kept. */
import type { CID } from "multiformats/cid";
import { expect, it, vi } from "vitest";
import { SharingError } from "../../../src/sharing/errors.ts";
import {
  CHUNK_BYTES,
  MAX_HOLDERS_A_READ,
  OFFERED_READ_MS,
  STRIKES_TO_BAN,
} from "../../../src/sharing/limits.ts";
import { MemoryBlockStore } from "../../../src/sharing/memory/memory-block-store.ts";
import { HandClock } from "../hand-clock.ts";
import { bytesOf, Hub, randomFile } from "./hub.ts";

const signal = new AbortController().signal;
const refused = (promise: Promise<unknown>) =>
  promise.then(
    () => "no error",
    (error: unknown) => (error as Error).name,
  );

it("a file of one chunk, or of several, is read from who offers it, and nothing of it is kept", async () => {
  const hub = new Hub();
  const [seed, reader] = [await hub.join("seed"), await hub.join("reader")];
  for (const size of [0, 5, CHUNK_BYTES + 5]) {
    const bytes = randomFile(size);
    const { file } = await seed.node.share(bytesOf(bytes), { name: `${size}.bin` });
    const read = await reader.node.readOffered(file.id.toUpperCase(), 2 * CHUNK_BYTES, signal);
    expect(read.name).toBe(`${size}.bin`);
    expect(Buffer.from(read.bytes).equals(bytes)).toBe(true);
    expect(await refused(reader.node.readOffered(file.id, Math.max(0, size - 1), signal))).toBe(
      size === 0 ? "no error" : "bad_request",
    );
  }
  expect([reader.node.files(), reader.node.transfers(), [...reader.announced]]).toEqual([[], [], []]);
  expect([reader.blocks.usedBytes, reader.sessions]).toEqual([0, []]);
});

it("no node beneath the root is read of a file that is far too long", async () => {
  const hub = new Hub();
  const zeros = new Uint8Array(CHUNK_BYTES);
  const digestOf = crypto.subtle.digest.bind(crypto.subtle);
  const zerosDigest = await digestOf("SHA-256", zeros);
  // A gigabyte of the same chunk is hashed, and compared with what is stored, once.
  vi.spyOn(crypto.subtle, "digest").mockImplementation(async (hash, bytes) =>
    bytes.byteLength === CHUNK_BYTES ? zerosDigest : digestOf(hash, bytes),
  );
  const blocks = new (class extends MemoryBlockStore {
    override async write(cid: CID, bytes: Uint8Array): Promise<void> {
      if (!this.has(cid)) await super.write(cid, bytes);
    }
  })();
  const [seed, reader] = [await hub.join("seed", { blocks }), await hub.join("reader")];
  async function* long() {
    for (let chunk = 0; chunk < 1025; chunk++) yield zeros;
  }
  const { file } = await seed.node.share(long(), { name: "long.bin" });
  expect(await refused(reader.node.readOffered(file.id, 2 * CHUNK_BYTES, signal))).toBe("bad_request");
  expect(seed.served).toEqual([file.id]);
});

it("a file that nobody offers is not found, and one that no holder gives has no provider", async () => {
  const hub = new Hub();
  const reader = await hub.join("reader");
  const { file } = await reader.node.share(bytesOf(randomFile(5)), { name: "own" });
  expect(await refused(reader.node.readOffered(file.id, 10, signal))).toBe("file_not_found");
  const bytes = randomFile(6);
  for (let nth = 0; nth < MAX_HOLDERS_A_READ + 1; nth++) {
    const peer = await hub.join(`gone ${nth}`, { manners: { isUnreachable: true } });
    await peer.node.share(bytesOf(bytes), { name: "x" });
  }
  const [offer] = reader.node.offers().filter(({ sizeBytes }) => sizeBytes === 6);
  expect(await refused(reader.node.readOffered(offer?.fileId ?? "", 10, signal))).toBe("no_provider");
});

it("who was met is asked before any number of those that are only told of", async () => {
  const hub = new Hub();
  const reader = await hub.join("reader");
  const bytes = randomFile(6);
  for (let nth = 0; nth < 100; nth++) {
    const peer = await hub.join(`made up ${nth}`, { manners: { isUnreachable: true, isToldOf: true } });
    await peer.node.share(bytesOf(bytes), { name: "x" });
  }
  const { file } = await (await hub.join("real")).node.share(bytesOf(bytes), { name: "x" });
  const read = await reader.node.readOffered(file.id, 10, signal);
  expect(Buffer.from(read.bytes).equals(bytes)).toBe(true);
});

it("who gives other bytes is struck, asked no more once banned, and the others are asked", async () => {
  const hub = new Hub();
  const lie = { answer: (_: CID, bytes: Uint8Array) => bytes.slice().fill(1) };
  const liar = await hub.join("liar", { manners: lie });
  const reader = await hub.join("reader");
  const bytes = randomFile(50);
  const { file } = await liar.node.share(bytesOf(bytes), { name: "x" });
  for (let strike = 0; strike < STRIKES_TO_BAN; strike++) {
    expect(reader.banned.size).toBe(0);
    expect(await refused(reader.node.readOffered(file.id, 50, signal))).toBe("no_provider");
  }
  expect([...reader.banned]).toEqual(["liar"]);
  expect(await refused(reader.node.readOffered(file.id, 50, signal))).toBe("no_provider");
  expect(liar.served).toHaveLength(STRIKES_TO_BAN);
  const honest = await hub.join("honest");
  await honest.node.share(bytesOf(bytes), { name: "x" });
  const read = await reader.node.readOffered(file.id, 50, signal);
  expect(Buffer.from(read.bytes).equals(bytes)).toBe(true);
});

it("a holder that says nothing is given up, and for a reader that leaves nothing waits", async () => {
  const clock = new HandClock();
  const hub = new Hub(clock);
  const mute = {
    answer: (_cid: CID, _bytes: Uint8Array, gone: AbortSignal) =>
      new Promise<never>((_, reject) => {
        gone.addEventListener("abort", () => reject(gone.reason), { once: true });
      }),
  };
  const peer = await hub.join("mute", { manners: mute });
  const reader = await hub.join("reader");
  const { file } = await peer.node.share(bytesOf(randomFile(5)), { name: "x" });
  const asked = () => new Promise((resolve) => setImmediate(resolve));
  const first = refused(reader.node.readOffered(file.id, 10, signal));
  await asked();
  await clock.pass(OFFERED_READ_MS);
  expect(await first).toBe("no_provider");
  const { sleeperCount } = clock;
  const leave = new AbortController();
  const second = refused(reader.node.readOffered(file.id, 10, leave.signal));
  await asked();
  leave.abort(new SharingError("stopped", "the reader left"));
  expect([await second, reader.sessions, clock.sleeperCount]).toEqual(["stopped", [], sleeperCount]);
});

it("who gives other bytes is struck also where that can't be recorded, and nobody hears of the disk", async () => {
  const hub = new Hub();
  const liar = await hub.join("liar", { manners: { answer: (_, bytes) => bytes.slice().fill(1) } });
  const { file } = await liar.node.share(bytesOf(randomFile(50)), { name: "x" });
  const reader = await hub.join("reader");
  vi.spyOn(reader.records, "batch").mockRejectedValue(new SharingError("storage_full", "the disk is full"));
  for (let strike = 0; strike < STRIKES_TO_BAN; strike++) {
    expect(await refused(reader.node.readOffered(file.id, 50, signal))).toBe("no_provider");
  }
  expect([...reader.banned]).toEqual(["liar"]);
});
