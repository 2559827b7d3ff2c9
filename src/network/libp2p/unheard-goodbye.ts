/**
 * A muxer that is ended says goodbye first, and the library's throws where its line takes no more, as one that closes just then.
 * Nobody expects that of an `abort`: the connection below is not ended any more, and whoever ends connections in the background
 * fails, for which Node.js ends the process. Called by sparing-yamux for each connection. Source: `abort` of @libp2p/yamux 8.0.
 */
import type { StreamMuxer } from "@libp2p/interface";

/** `abort` comes back, whether or not the other end can be told. */
export function letGoodbyeBeUnheard(muxer: StreamMuxer): void {
  const abort = muxer.abort.bind(muxer);
  muxer.abort = (error) => {
    try {
      abort(error);
    } catch {
      // Its streams have ended before, and all that is left of it ends with its line.
    }
  };
}
