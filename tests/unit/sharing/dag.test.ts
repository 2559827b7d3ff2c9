/** Files to DAGs and back: src/sharing/files/dag. */
import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { type BufferImporter, type ImporterOptions, importer } from "ipfs-unixfs-importer";
import { CID } from "multiformats/cid";
import { create as createDigest } from "multiformats/hashes/digest";
import { describe, expect, it } from "vitest";
import { isSharingError, SharingError } from "../../../src/sharing/errors.ts";
import { ChunkBuffers } from "../../../src/sharing/files/chunk-buffers.ts";
import { chunksOf, importFile } from "../../../src/sharing/files/dag.ts";
import { buildDag, readManifest } from "../../../src/sharing/files/manifest.ts";
import { blockCid, DAG_PB, RAW, SHA2_256, verifyBlock } from "../../../src/sharing/hash.ts";
import { CHUNK_BYTES, IMPORT_CONCURRENCY } from "../../../src/sharing/limits.ts";
import { deferred } from "../../deferred.ts";

const never = new AbortController().signal;

/** Deterministic bytes in pieces of a size that never fits the chunk size. */
async function* pieces(sizeBytes: number, pieceBytes = 333_333): AsyncIterable<Uint8Array> {
  for (let at = 0; at < sizeBytes; at += pieceBytes) {
    const piece = new Uint8Array(Math.min(pieceBytes, sizeBytes - at));
    for (let i = 0; i < piece.length; i += 1021) piece[i] = (at + i) % 251;
    yield piece;
  }
}

async function importInto(blocks: Map<string, Uint8Array>, bytes: AsyncIterable<Uint8Array>) {
  return importFile(bytes, async (cid, block) => void blocks.set(cid.toString(), block.slice()), {
    signal: never,
  });
}

async function oracleId(bytes: AsyncIterable<Uint8Array>, options: ImporterOptions = {}): Promise<string> {
  const sink = { put: async (cid: CID) => cid };
  const all: ImporterOptions = { profile: "unixfs-v1-2025", ...options };
  for await (const entry of importer([{ content: bytes }], sink as never, all)) {
    return entry.cid.toString();
  }
  throw new Error("the oracle gave nothing");
}

/** In place of the oracle's reading and hashing: whole chunks, with these digests. */
function wholeChunks(digests: Uint8Array): BufferImporter {
  return async function* () {
    for (let at = 0; at < digests.length; at += 32) {
      const cid = CID.createV1(RAW, createDigest(SHA2_256, digests.slice(at, at + 32)));
      yield async () => ({ cid, size: BigInt(CHUNK_BYTES), block: new Uint8Array() });
    }
  };
}

describe("importFile", () => {
  it("gives the known id of 'hello world'", async () => {
    const manifest = await importInto(new Map(), once(new TextEncoder().encode("hello world")));
    expect(manifest.root.toString()).toBe("bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e");
    expect(manifest.chunkCount).toBe(1);
  });

  it("makes an empty file of one empty chunk", async () => {
    const manifest = await importInto(new Map(), pieces(0));
    expect(manifest.root.toString()).toBe("bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku");
    expect([manifest.chunkCount, manifest.sizeBytes]).toEqual([1, 0]);
  });

  it.each([1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 3 * CHUNK_BYTES, 65 * CHUNK_BYTES + 17])(
    "gives the id that ipfs-unixfs-importer gives for %i bytes",
    async (sizeBytes) => {
      const manifest = await importInto(new Map(), pieces(sizeBytes));
      expect(manifest.root.toString()).toBe(await oracleId(pieces(sizeBytes)));
    },
  );

  it("gives the same id in whatever order the chunks come to be stored", async () => {
    const lastIsStored = deferred();
    let started = 0;
    const store = async () => {
      started += 1;
      if (started < 3) await lastIsStored.promise;
      else lastIsStored.resolve();
    };
    const { root, chunkCount } = await importFile(pieces(3 * CHUNK_BYTES), store, { signal: never });
    expect(chunkCount).toBe(3);
    expect(root.toString()).toBe(await oracleId(pieces(3 * CHUNK_BYTES)));
  });

  it("gives the oracle's id for a file whose last node has a single link", async () => {
    const digests = new Uint8Array(randomBytes(1025 * 32));
    const { manifest, nodes } = await buildDag(digests, 1025 * CHUNK_BYTES);
    expect(manifest.root.toString()).toBe(
      await oracleId(pieces(0), { bufferImporter: wholeChunks(digests) }),
    );
    expect(nodes.length).toBe(3);
  });

  it.each([2, 40])(
    "ends with the store's error once writes under way have ended, of %i chunks",
    async (count) => {
      let underWay = 0;
      const store = async () => {
        underWay += 1;
        await new Promise((resolve) => setImmediate(resolve));
        underWay -= 1;
        throw new Error("disk on fire");
      };
      await expect(importFile(pieces(count * CHUNK_BYTES), store, { signal: never })).rejects.toThrow(
        "disk on fire",
      );
      expect(underWay).toBe(0);
    },
  );

  it("reads a few chunks ahead of a slow store, and none once that has failed", async () => {
    let [readCount, storingCount] = [0, 0];
    async function* source() {
      while (readCount < 3 * IMPORT_CONCURRENCY) {
        readCount += 1;
        yield new Uint8Array(CHUNK_BYTES);
      }
    }
    const full = deferred();
    const store = async () => {
      storingCount += 1;
      await full.promise;
    };
    const imported = importFile(source(), store, { signal: never });
    await expect.poll(() => storingCount).toBe(IMPORT_CONCURRENCY);
    full.reject(new SharingError("storage_full", "the disk is full"));
    await expect(imported).rejects.toMatchObject({ name: "storage_full" });
    expect(readCount).toBe(IMPORT_CONCURRENCY);
  });

  it("ends when the source fails", async () => {
    async function* failing() {
      yield new Uint8Array(10);
      throw new Error("gone");
    }
    await expect(importInto(new Map(), failing())).rejects.toThrow("gone");
  });
});

describe("the buffers of an import", () => {
  async function* failing() {
    yield new Uint8Array(CHUNK_BYTES + 1);
    throw new Error("gone");
  }
  const fails = () => Promise.reject(new Error("disk on fire"));

  it.each([
    ["of one chunk", pieces(10), async () => {}, never],
    ["of nothing", pieces(0), async () => {}, never],
    ["that fills its last chunk", pieces(3 * CHUNK_BYTES), async () => {}, never],
    ["whose source fails", failing(), async () => {}, never],
    ["whose store fails", pieces(3 * CHUNK_BYTES), fails, never],
    ["that is given up", pieces(3 * CHUNK_BYTES), async () => {}, AbortSignal.abort()],
  ])("%s are all given back", async (_, source, store, signal) => {
    const buffers = new ChunkBuffers();
    await importFile(source, store, { signal, buffers }).catch(() => undefined);
    const heldBytes = buffers.heldBytes;
    expect(heldBytes).toBeGreaterThan(0);
    for (let at = 0; at < heldBytes / CHUNK_BYTES; at++) buffers.take();
    expect(buffers.heldBytes).toBe(heldBytes);
  });
});

async function* once(bytes: Uint8Array) {
  yield bytes;
}

describe("chunksOf", () => {
  it("keeps every byte in order, in chunks of 1 MiB but the last", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 700_000 }), { maxLength: 8 }), async (sizes) => {
        async function* source() {
          for (const size of sizes) yield new Uint8Array(size).fill(size % 256);
        }
        const chunks: Uint8Array[] = [];
        for await (const chunk of chunksOf(source(), new ChunkBuffers())) chunks.push(chunk);
        const total = sizes.reduce((sum, size) => sum + size, 0);
        const joined = Buffer.concat(chunks);
        expect(joined.equals(Buffer.concat(sizes.map((size) => Buffer.alloc(size, size % 256))))).toBe(true);
        expect(chunks.length).toBe(Math.max(1, Math.ceil(total / CHUNK_BYTES)));
        expect(chunks.slice(0, -1).every((chunk) => chunk.length === CHUNK_BYTES)).toBe(true);
      }),
      { numRuns: 20 },
    );
  });
});

describe("readManifest", () => {
  const digestsOf = (count: number) => new Uint8Array(randomBytes(count * 32));

  it("reads back what buildDag made, over two levels", async () => {
    const digests = digestsOf(2050);
    const sizeBytes = 2049 * CHUNK_BYTES + 5;
    const { manifest, nodes } = await buildDag(digests, sizeBytes);
    const stored = new Map(nodes.map((node) => [node.cid.toString(), node.bytes]));
    const read = await readManifest(manifest.root, async (cid) => stored.get(cid.toString()) as Uint8Array);
    expect(read.manifest.sizeBytes).toBe(sizeBytes);
    expect(read.manifest.chunkCount).toBe(2050);
    expect(read.manifest.chunkCid(2049).toString()).toBe(manifest.chunkCid(2049).toString());
    expect(read.manifest.chunkBytes(2049)).toBe(5);
  });

  it("refuses bytes that are no file's node, whatever they are", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
        const root = await blockCid(bytes, DAG_PB);
        const error = await readManifest(root, async () => bytes).catch((caught: unknown) => caught);
        expect(isSharingError(error, "bad_manifest")).toBe(true);
      }),
    );
  });

  const lies: [string, (links: CID[]) => Promise<{ links: CID[]; blockSizes: number[] }>][] = [
    ["link sizes that are not the chunks'", async (links) => ({ links, blockSizes: [CHUNK_BYTES - 1, 6] })],
    ["a size far beyond the chunks", async (links) => ({ links, blockSizes: [CHUNK_BYTES, 2 ** 45] })],
    ["more sizes than links", async (links) => ({ links, blockSizes: [CHUNK_BYTES, 5, 5] })],
    ["no links", async () => ({ links: [], blockSizes: [] })],
  ];
  it.each(lies)("refuses %s", async (_name, lie) => {
    const { bytes, root } = await forgedNode(await lie(await twoLeaves()));
    const error = await readManifest(root, async () => bytes).catch((caught: unknown) => caught);
    expect(isSharingError(error, "bad_manifest")).toBe(true);
  });

  it("refuses a DAG that is deeper than two levels", async () => {
    let node = await forgedNode({ links: await twoLeaves(), blockSizes: [CHUNK_BYTES, 5] });
    const stored = new Map([[node.root.toString(), node.bytes]]);
    for (let depth = 0; depth < 4; depth++) {
      node = await forgedNode({ links: [node.root], blockSizes: [CHUNK_BYTES + 5] });
      stored.set(node.root.toString(), node.bytes);
    }
    let asked = 0;
    const read = readManifest(node.root, async (cid) => {
      asked += 1;
      return stored.get(cid.toString()) as Uint8Array;
    });
    await expect(read).rejects.toMatchObject({ name: "bad_manifest" });
    expect(asked).toBe(2);
  });

  it("refuses a last chunk without bytes, though all else fits", async () => {
    const { manifest, nodes } = await buildDag(digestsOf(3), 2 * CHUNK_BYTES);
    const read = readManifest(manifest.root, async () => nodes[0]?.bytes as Uint8Array);
    await expect(read).rejects.toMatchObject({ name: "bad_manifest" });
  });

  it("asks nobody for a node that another hash names", async () => {
    const byOtherHash = CID.createV1(DAG_PB, createDigest(0xb220, new Uint8Array(32)));
    const { bytes, root } = await forgedNode({ links: [byOtherHash], blockSizes: [CHUNK_BYTES] });
    const asked: CID[] = [];
    const read = readManifest(root, async (cid) => {
      asked.push(cid);
      return bytes;
    });
    await expect(read).rejects.toMatchObject({ name: "bad_manifest" });
    expect(asked).toEqual([root]);
  });

  it("refuses links by identity or another hash", async () => {
    const identity = CID.parse("bafkqaaik");
    const { bytes, root } = await forgedNode({ links: [identity, identity], blockSizes: [CHUNK_BYTES, 5] });
    await expect(readManifest(root, async () => bytes)).rejects.toMatchObject({ name: "bad_manifest" });
  });
});

describe("verifyBlock", () => {
  it("refuses bytes with one bit changed", async () => {
    const bytes = crypto.getRandomValues(new Uint8Array(1000));
    const cid = await blockCid(bytes, RAW);
    await verifyBlock(cid, bytes);
    bytes[999] = (bytes[999] ?? 0) ^ 1;
    await expect(verifyBlock(cid, bytes)).rejects.toMatchObject({ name: "hash_mismatch" });
  });
});

async function twoLeaves(): Promise<CID[]> {
  return [await blockCid(new Uint8Array([1]), RAW), await blockCid(new Uint8Array([2]), RAW)];
}

async function forgedNode({ links, blockSizes }: { links: CID[]; blockSizes: number[] }) {
  const dagPb = await import("@ipld/dag-pb");
  const { UnixFS } = await import("ipfs-unixfs");
  const bytes = dagPb.encode({
    Data: new UnixFS({ type: "file", blockSizes: blockSizes.map(BigInt) }).marshal(),
    Links: links.map((Hash) => ({ Name: "", Tsize: 10, Hash })),
  });
  return { bytes, root: await blockCid(bytes, DAG_PB) };
}
