/**
 * Manifests whose bytes hash to the file id and lie all the same, and announcements by hand, for attack 14. Told by
 * hostile nodes to headless nodes and to pages.
 */
import * as dagPb from "@ipld/dag-pb";
import { UnixFS, type UnixFSType } from "ipfs-unixfs";
import { CID } from "multiformats/cid";
import * as Digest from "multiformats/hashes/digest";
import { ByteWriter } from "../../src/network/byte-fields.ts";
import { blockCid, DAG_PB, RAW } from "../../src/sharing/hash.ts";
import { digestOf, respond, sendBlock } from "./baited-file.ts";
import type { HostileNode } from "./hostile-node.ts";

const MIB = 1024 * 1024;
const zeros = new Uint8Array(32);

/** An inner node with these links, each said to hold so many bytes of the file. */
function nodeOf(links: CID[], bytesOfEach: bigint, type: UnixFSType = "file"): Uint8Array {
  const unixfs = new UnixFS({ type, ...(type === "file" && { blockSizes: links.map(() => bytesOfEach) }) });
  const Links = links.map((Hash) => ({ Name: "", Tsize: MIB, Hash }));
  return dagPb.encode({ Data: unixfs.marshal(), Links });
}

const chunk = (seed: number) => blockCid(new Uint8Array(MIB).fill(seed), RAW);
export const chunks = (count: number) => Promise.all(Array.from({ length: count }, (_, seed) => chunk(seed)));
const full = BigInt(MIB);

/** Blocks of a lying DAG, the root last. */
export const manifestLies: [what: string, make: () => Promise<Uint8Array[]>][] = [
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
export async function serveLie(hostile: HostileNode, blocks: Uint8Array[]): Promise<string> {
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

/** A gossip message that adds one file under a name as it is, without the care our own encoder takes. */
export function addMessage(epoch: number, fileId: string, name: Uint8Array): Uint8Array {
  const out = new ByteWriter().byte(1).byte(1).varint(epoch).varint(2).varint(1).varint(1);
  return out.raw(CID.parse(fileId).bytes).block(name).varint(1000).varint(1).byte(1).finish();
}

/** Gossips a file under this name, and has it in the catalogue for who heard of it too early to know the author. */
export async function gossipName(
  hostile: HostileNode,
  epoch: number,
  fileId: string,
  name: string,
): Promise<void> {
  const file = { fileId, name, sizeBytes: 1000, chunkCount: 1, complete: true };
  hostile.offerFrom({ epoch, seq: 2, revision: 1 }, file);
  await hostile.publish(addMessage(epoch, fileId, new TextEncoder().encode(name)));
}
