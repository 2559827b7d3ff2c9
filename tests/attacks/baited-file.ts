/**
 * A file that a hostile node announces and serves by script: its blocks, and answers to all but its chunks as an
 * honest node would give them. Called by the attacks on downloads and by the soak.
 */
import { randomBytes } from "node:crypto";
import type { CID } from "multiformats/cid";
import type { Message, WantMessage } from "../../src/exchange/messages.ts";
import { importFile } from "../../src/sharing/dag.ts";
import { DAG_PB } from "../../src/sharing/hash.ts";
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
  const source = async function* () {
    yield bytes;
  };
  const keep = async (cid: CID, block: Uint8Array) => void blocks.set(digestOf(cid), block.slice());
  const manifest = await importFile(source(), keep, { signal: new AbortController().signal });
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
