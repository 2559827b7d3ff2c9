/** Ways to lie about a chunk, for attack 13 and the bombs of 15. Told by hostile nodes to headless nodes and to pages. */
import { type ChunkAnswer, sendBlock } from "./baited-file.ts";

const MIB = 1024 * 1024;

export function withOneBitChanged(chunk: Uint8Array): Uint8Array {
  const changed = chunk.slice();
  changed[1000] = (changed[1000] ?? 0) ^ 1;
  return changed;
}

/** Each of them alone gets its peer banned. */
export const chunkLies: [what: string, answer: ChunkAnswer][] = [
  ["chunks with one bit changed", (peer, id, chunk) => sendBlock(peer, id, withOneBitChanged(chunk))],
  ["chunks cut short", (peer, id, chunk) => sendBlock(peer, id, chunk.subarray(0, chunk.length / 2))],
  ["chunks of no bytes", (peer, id) => peer.send({ type: "block", requestId: id, sizeBytes: 0 })],
  [
    "more bytes than it told",
    (peer, id, chunk) => {
      peer.send({ type: "block", requestId: id, sizeBytes: 1000 });
      peer.sendData(id, chunk.subarray(0, 2000));
    },
  ],
  [
    "chunks longer than chunks are",
    (peer, id) => peer.send({ type: "block", requestId: id, sizeBytes: MIB + 1 }),
  ],
  [
    "every chunk twice",
    (peer, id, chunk) => {
      sendBlock(peer, id, chunk);
      sendBlock(peer, id, chunk);
    },
  ],
  [
    "chunks that nobody asked for",
    (peer, id, chunk) => {
      sendBlock(peer, id + 1000, chunk);
    },
  ],
  ["the frame of gigabytes", (peer) => peer.stream.send(Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0x0f))],
];
