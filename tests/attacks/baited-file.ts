/**
 * A file that a hostile node announces and serves by script: its blocks, and answers to all but its chunks as an
 * honest node would give them. Called by the attacks on downloads and by the soak.
 */
import { randomBytes } from "node:crypto";
import type { CID } from "multiformats/cid";
import type { Message, WantMessage } from "../../src/exchange/wire/messages.ts";
import { buildDag } from "../../src/sharing/files/manifest.ts";
import { blockCid, DAG_PB, RAW } from "../../src/sharing/hash.ts";
import { CHUNK_BYTES } from "../../src/sharing/limits.ts";
import type { Announcement } from "../../src/sharing/ports.ts";
import type { ScriptedPeer } from "../unit/exchange/scripted-peer.ts";

export interface BaitedFile {
  bytes: Uint8Array<ArrayBuffer>;
  announcement: Announcement;
  /** Blocks by digest, as hexadecimal. */
  blocks: Map<string, Uint8Array>;
}

/** Answers a request for a chunk whose right bytes are given; the requests of one peer are counted from 0. */
export type ChunkAnswer = (peer: ScriptedPeer, requestId: number, chunk: Uint8Array, count: number) => void;

export async function baitedFile(name: string, sizeBytes: number): Promise<BaitedFile> {
  const bytes = new Uint8Array(randomBytes(sizeBytes));
  const blocks = new Map<string, Uint8Array>();
  const digests: Uint8Array[] = [];
  for (let at = 0; at < Math.max(1, sizeBytes); at += CHUNK_BYTES) {
    const chunk = bytes.subarray(at, at + CHUNK_BYTES);
    const cid = await blockCid(chunk, RAW);
    blocks.set(digestOf(cid), chunk);
    digests.push(cid.multihash.digest);
  }
  const { manifest, nodes } = await buildDag(new Uint8Array(Buffer.concat(digests)), sizeBytes);
  for (const node of nodes) blocks.set(digestOf(node.cid), node.bytes);
  const announcement = {
    fileId: manifest.root.toString(),
    name,
    sizeBytes,
    chunkCount: manifest.chunkCount,
    complete: true,
  };
  return { bytes, announcement, blocks };
}

/** One conversation: inner nodes as they are, every chunk by `answer`, and the claim to hold all. */
export function serveBaited({ blocks }: BaitedFile, answer: ChunkAnswer): (peer: ScriptedPeer) => void {
  return (peer) => {
    let answered = 0;
    respond(peer, (want) => {
      const block = blocks.get(Buffer.from(want.digest).toString("hex"));
      if (block === undefined) peer.send({ type: "missing", requestId: want.requestId });
      else if (want.codec === DAG_PB) sendBlock(peer, want.requestId, block);
      else answer(peer, want.requestId, block, answered++);
    });
  };
}

/** Calls `onWant` for each request as it comes; says of every file that all of it is here. */
export function respond(peer: ScriptedPeer, onWant: (want: WantMessage) => void): void {
  let seen = 0;
  const react = (message: Message) => {
    if (message.type === "watch") peer.send({ type: "have_all", watchId: message.watchId });
    else if (message.type === "want") onWant(message);
  };
  void peer.until(() => {
    while (peer.stream.status === "open" && seen < peer.received.length) {
      react(peer.received[seen++] as Message);
    }
    return peer.stream.status !== "open";
  });
}

export function sendBlock(peer: ScriptedPeer, requestId: number, bytes: Uint8Array): void {
  peer.send({ type: "block", requestId, sizeBytes: bytes.length });
  for (let at = 0; at < bytes.length; at += 65_536) peer.sendData(requestId, bytes.subarray(at, at + 65_536));
}

export function digestOf({ multihash }: CID): string {
  return Buffer.from(multihash.digest).toString("hex");
}
