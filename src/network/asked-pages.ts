/**
 * How a peer is asked, page by page, for what it tells of its files. The asking side says which swarm it means, then
 * sends an empty frame for each page that it wants, so that a slow reader holds up one page and no more. Frames are a
 * varint length, then as many bytes. Called by catalogue-protocol and excerpt-protocol, which say what is answered.
 *
 * | frame | fields                                       |
 * |-------|----------------------------------------------|
 * | ask   | byte version 1; text swarm name, 1..64 bytes |
 * | next  | empty                                        |
 */
import type { Stream } from "@libp2p/interface";
import { lpStream } from "@libp2p/utils";
import { MAX_SWARM_NAME_CHARS } from "../sharing/limits.ts";
import { ByteReader, ByteWriter, malformed } from "./byte-fields.ts";

export type Frames = ReturnType<typeof lpStream<Stream>>;

export const NEXT = new Uint8Array(0);

const VERSION = 1;

export function encodeAsk(swarm: string): Uint8Array {
  return new ByteWriter().byte(VERSION).text(swarm).finish();
}

/** Of a stream on which a peer asks, which says no more than that. */
export function framesOfAsker(stream: Stream): Frames {
  return lpStream(stream, { maxDataLength: MAX_SWARM_NAME_CHARS + 8 });
}

/** Whether the asker means the swarm. @throws SharingError `protocol_error`; what the stream throws when it breaks */
export async function readAsk(frames: Frames, swarm: string, signal: AbortSignal): Promise<boolean> {
  const ask = new ByteReader((await frames.read({ signal })).subarray());
  if (ask.byte() !== VERSION) throw malformed("unknown version");
  const isMeant = ask.text(MAX_SWARM_NAME_CHARS) === swarm;
  ask.end();
  return isMeant;
}

/** Settles when the asker wants the next page. @throws as `readAsk` */
export async function readNext(frames: Frames, signal: AbortSignal): Promise<void> {
  const next = await frames.read({ signal });
  if (next.byteLength !== 0) throw malformed("not a request for a page");
}
