/** Streams of libp2p that end where more comes than an honest peer sends: the library itself reads messages of up to 4 MiB. */
import { InvalidMessageError, type Stream } from "@libp2p/interface";

interface Bytes {
  byteLength: number;
  subarray(start: number, end: number): Uint8Array;
}

/** By what a muxer hands on what came, of which libp2p's types don't tell. */
interface Source {
  /** What came before anybody read. */
  readBuffer: Bytes;
  onData(data: Bytes): void;
}

const MAX_LENGTH_BYTES = 5;

/** The same stream, which ends where more comes in all. */
export function cappedStream(stream: Stream, maxBytes: number): Stream {
  let bytes = 0;
  return checked(stream, (data) => {
    bytes += data.byteLength;
    return bytes <= maxBytes;
  });
}

/** The same stream, which ends where the first message, by the length before it, is longer. */
export function cappedFirstMessage(stream: Stream, maxBytes: number): Stream {
  let length = 0;
  let lengthBytes = 0;
  let isToCome = true;
  return checked(stream, (data) => {
    for (const byte of data.subarray(0, Math.min(MAX_LENGTH_BYTES, data.byteLength))) {
      if (!isToCome) break;
      length += (byte & 127) * 128 ** lengthBytes;
      lengthBytes += 1;
      isToCome = byte > 127 && lengthBytes < MAX_LENGTH_BYTES;
    }
    return length <= maxBytes;
  });
}

function checked(stream: Stream, isFine: (data: Bytes) => boolean): Stream {
  const source = stream as unknown as Source;
  const take = source.onData.bind(stream);
  const end = () => stream.abort(new InvalidMessageError("longer than any message of this protocol"));
  source.onData = (data) => (isFine(data) ? take(data) : end());
  if (!isFine(source.readBuffer)) end();
  return stream;
}
