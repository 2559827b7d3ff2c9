/**
 * What a file is made of: the digests of its chunks in order, and its inner DAG nodes. Made by importing (dag.ts)
 * or from nodes that a peer sent; a manifest that exists is one that our own builder would have made from
 * the same chunks, so nothing in it can lie but for how long these are, to which each is held once it is here.
 *
 * Source: IPIP-499, profile `unixfs-v1-2025` (1 MiB raw leaves, sha2-256, balanced, 1024 links a node).
 */
import * as dagPb from "@ipld/dag-pb";
import { CID } from "multiformats/cid";
import * as Digest from "multiformats/hashes/digest";
import { SharingError } from "../errors.ts";
import { blockCid, DAG_PB, DIGEST_BYTES, RAW, SHA2_256 } from "../hash.ts";
import { CHUNK_BYTES, MAX_DAG_DEPTH, MAX_LINKS, MAX_NODE_BYTES } from "../limits.ts";
import { DigestPlaces } from "./digest-places.ts";
import { encodeUnixfsFile, readUnixfsFileSize } from "./unixfs-file.ts";

/** An inner node of the DAG with its encoded bytes. */
export interface DagNode {
  cid: CID;
  bytes: Uint8Array;
}

export interface Manifest {
  readonly root: CID;
  readonly sizeBytes: number;
  readonly chunkCount: number;
  /** Inner nodes, root last; none when the only chunk is the root itself. */
  readonly nodes: readonly CID[];
  chunkCid(index: number): CID;
  chunkBytes(index: number): number;
  /** Places of a chunk in the file; equal bytes are one chunk at several places. */
  indexesOf(cid: CID): number[];
}

/** Joins digests of 32 bytes each, in order, into one array `[count * 32]`. */
export class DigestList {
  #bytes = new Uint8Array(64 * DIGEST_BYTES);
  count = 0;

  set(index: number, digest: Uint8Array): void {
    const end = (index + 1) * DIGEST_BYTES;
    if (end > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(end, this.#bytes.length * 2));
      grown.set(this.#bytes);
      this.#bytes = grown;
    }
    this.#bytes.set(digest, index * DIGEST_BYTES);
    this.count = Math.max(this.count, index + 1);
  }

  bytes(): Uint8Array {
    return this.#bytes.slice(0, this.count * DIGEST_BYTES);
  }
}

/** Builds the DAG above the chunks, from the leaves up. `digests` is `[chunkCount * 32]`. */
export async function buildDag(
  digests: Uint8Array,
  sizeBytes: number,
): Promise<{ manifest: Manifest; nodes: DagNode[] }> {
  const chunkCount = digests.length / DIGEST_BYTES;
  const nodes: DagNode[] = [];
  let layer = Array.from({ length: chunkCount }, (_, index) => {
    const bytes = chunkBytesAt(index, sizeBytes);
    return { cid: cidAt(digests, index), fileBytes: bytes, totalBytes: bytes };
  });
  while (layer.length > 1) {
    const parents: typeof layer = [];
    for (let at = 0; at < layer.length; at += MAX_LINKS) {
      const { node, entry } = await parentOf(layer.slice(at, at + MAX_LINKS));
      nodes.push(node);
      parents.push(entry);
    }
    layer = parents;
  }
  const root = layer[0]?.cid;
  if (!root) throw new SharingError("bad_manifest", "a file has at least one chunk");
  const manifest = manifestOf(
    root,
    digests,
    sizeBytes,
    nodes.map((node) => node.cid),
  );
  return { manifest, nodes };
}

/** The inner nodes of a file, encoded. */
export async function innerNodes({ chunkCount, sizeBytes, chunkCid }: Manifest): Promise<DagNode[]> {
  const digests = new Uint8Array(chunkCount * DIGEST_BYTES);
  for (let index = 0; index < chunkCount; index++) {
    digests.set(chunkCid(index).multihash.digest, index * DIGEST_BYTES);
  }
  return (await buildDag(digests, sizeBytes)).nodes;
}

interface LayerEntry {
  cid: CID;
  /** Bytes of the file below. */
  fileBytes: number;
  /** Bytes of all blocks below, the entry's own included (Tsize in dag-pb). */
  totalBytes: number;
}

async function parentOf(children: LayerEntry[]): Promise<{ node: DagNode; entry: LayerEntry }> {
  const bytes = dagPb.encode({
    Data: encodeUnixfsFile(children.map((child) => child.fileBytes)),
    Links: children.map((child) => ({ Name: "", Tsize: child.totalBytes, Hash: child.cid })),
  });
  const cid = await blockCid(bytes, DAG_PB);
  const fileBytes = children.reduce((sum, child) => sum + child.fileBytes, 0);
  const totalBytes = children.reduce((sum, child) => sum + child.totalBytes, bytes.length);
  return { node: { cid, bytes }, entry: { cid, fileBytes, totalBytes } };
}

function manifestOf(root: CID, digests: Uint8Array, sizeBytes: number, nodes: CID[]): Manifest {
  const chunkCount = digests.length / DIGEST_BYTES;
  const places = new DigestPlaces(digests);
  return {
    root,
    sizeBytes,
    chunkCount,
    nodes,
    chunkCid: (index) => cidAt(digests, index),
    chunkBytes: (index) => chunkBytesAt(index, sizeBytes),
    indexesOf: (cid) => (cid.code === RAW ? places.of(cid.multihash.digest) : []),
  };
}

function cidAt(digests: Uint8Array, index: number): CID {
  const digest = digests.slice(index * DIGEST_BYTES, (index + 1) * DIGEST_BYTES);
  return CID.createV1(RAW, Digest.create(SHA2_256, digest));
}

function chunkBytesAt(index: number, sizeBytes: number): number {
  return Math.min(CHUNK_BYTES, sizeBytes - index * CHUNK_BYTES);
}

/**
 * Holds right bytes of a chunk to what the manifest says of it: no hash tells of how many bytes it is.
 * @throws SharingError `bad_manifest`
 */
export function expectLength(
  { chunkBytes }: Pick<Manifest, "chunkBytes">,
  index: number,
  { length }: Uint8Array,
): void {
  if (length !== chunkBytes(index))
    throw new SharingError("bad_manifest", "a chunk of the file is not as long as the file says");
}

/** The manifest of a file that is one chunk. */
export function singleChunkManifest(root: CID, sizeBytes: number): Manifest {
  return manifestOf(root, root.multihash.digest.slice(), sizeBytes, []);
}

/**
 * Reads a manifest from inner nodes; `readNode` gives verified bytes of at most MAX_NODE_BYTES.
 * @throws SharingError `bad_manifest` unless our builder makes the same root from the same chunks
 */
export async function readManifest(
  root: CID,
  readNode: (cid: CID) => Promise<Uint8Array>,
): Promise<{ manifest: Manifest; nodes: DagNode[] }> {
  const top = decodeNode(await readNode(root));
  const leaves = await leavesBelow(top, 1, readNode);
  const digests = new Uint8Array(leaves.length * DIGEST_BYTES);
  for (const [index, leaf] of leaves.entries()) digests.set(leaf.multihash.digest, index * DIGEST_BYTES);
  const lastChunkBytes = top.fileBytes - (leaves.length - 1) * CHUNK_BYTES;
  if (lastChunkBytes < 1 || lastChunkBytes > CHUNK_BYTES) {
    throw new SharingError("bad_manifest", "the file's size does not fit its chunks");
  }
  const built = await buildDag(digests, top.fileBytes);
  if (!built.manifest.root.equals(root)) throw otherProfile();
  return built;
}

function otherProfile(): SharingError {
  return new SharingError("bad_manifest", "the DAG is not of the profile unixfs-v1-2025");
}

async function leavesBelow(
  node: DecodedNode,
  depth: number,
  readNode: (cid: CID) => Promise<Uint8Array>,
): Promise<CID[]> {
  if (node.links.every((link) => link.code === RAW)) return node.links;
  if (depth >= MAX_DAG_DEPTH) throw new SharingError("bad_manifest", "the DAG is too deep");
  const leaves: CID[] = [];
  for (const [at, link] of node.links.entries()) {
    if (link.code !== DAG_PB) throw new SharingError("bad_manifest", "the DAG is not balanced");
    const below = decodeNode(await readNode(link));
    // At once: whoever brings more of such nodes does so for nothing, and can't tell of how many bytes they are.
    if (at < node.links.length - 1 && below.fileBytes !== MAX_LINKS * CHUNK_BYTES) throw otherProfile();
    leaves.push(...(await leavesBelow(below, depth + 1, readNode)));
  }
  return leaves;
}

interface DecodedNode {
  links: CID[];
  fileBytes: number;
}

function decodeNode(bytes: Uint8Array): DecodedNode {
  if (bytes.length > MAX_NODE_BYTES) throw new SharingError("bad_manifest", "a DAG node is too long");
  try {
    const node = dagPb.decode(bytes);
    const fileBytes = readUnixfsFileSize(node.Data ?? new Uint8Array());
    const links = node.Links.map((link) => link.Hash);
    const isSound =
      links.length > 0 &&
      links.length <= MAX_LINKS &&
      links.every(
        (link) => link.multihash.code === SHA2_256 && link.multihash.digest.length === DIGEST_BYTES,
      );
    if (isSound && fileBytes !== undefined && Number.isSafeInteger(fileBytes)) return { links, fileBytes };
  } catch (error) {
    throw new SharingError("bad_manifest", "a DAG node does not decode", { cause: error });
  }
  throw new SharingError("bad_manifest", "a DAG node is not one of a file");
}
