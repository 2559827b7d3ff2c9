/** Streams of libp2p that end where more comes than an honest peer sends: the library itself reads messages of up to 4 MiB. */
import { InvalidMessageError, type MessageStream, type Stream } from "@libp2p/interface";

interface Bytes {
  byteLength: number;
}

/** By what a muxer hands on what came, of which libp2p's types don't tell. */
interface Source {
  /** What came before anybody read. */
  readBuffer: Bytes;
  onData(data: Bytes): void;
}

/** The same stream, which ends where more comes in all. */
export function cappedStream(stream: Stream, maxBytes: number): Stream {
  cap(stream, maxBytes);
  return stream;
}

/**
 * The same stream, which ends where more comes while its messages are read. Who has read them lets go of it, and the next has as
 * much as there is.
 */
export function cappedMessages<S extends MessageStream>(stream: S, maxBytes: number): S {
  const lift = cap(stream, maxBytes);
  const removeListener = stream.removeEventListener;
  stream.removeEventListener = ((...listener: Parameters<typeof removeListener>) => {
    if (listener[0] === "message") {
      stream.removeEventListener = removeListener;
      lift();
    }
    removeListener.apply(stream, listener);
  }) as typeof removeListener;
  return stream;
}

/** Gives what ends the cap. */
function cap(stream: MessageStream, maxBytes: number): () => void {
  const source = stream as unknown as Source;
  const take = source.onData.bind(stream);
  let bytes = 0;
  const count = (data: Bytes) => {
    bytes += data.byteLength;
    if (bytes <= maxBytes) return true;
    stream.abort(new InvalidMessageError("longer than any message of this protocol"));
    return false;
  };
  source.onData = (data) => {
    if (count(data)) take(data);
  };
  count(source.readBuffer);
  return () => {
    source.onData = take;
  };
}
