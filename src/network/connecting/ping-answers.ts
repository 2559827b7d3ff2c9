/**
 * Answers pings in place of libp2p's own handler, whose time limit keeps each of them in memory until it is over, with the
 * connection beneath it and all that hung on that. Called by openNetwork. Source: libp2p specs, ping.
 */
import type { Stream } from "@libp2p/interface";
import { PING_PROTOCOL } from "@libp2p/ping";
import { cappedStream } from "../libp2p/capped-streams.ts";
import type { Libp2pNode } from "../libp2p-node.ts";
import { MAX_PINGS_PER_CONNECTION, PING_PATIENCE_MS } from "../limits.ts";
import { abortFor } from "../or-aborted.ts";
import { MAX_PING_BYTES } from "./limits.ts";

/** Once the node is started, which puts libp2p's handler in place. */
export async function answerPings(node: Libp2pNode): Promise<void> {
  await node.handle(PING_PROTOCOL, answerPing, {
    force: true,
    maxInboundStreams: MAX_PINGS_PER_CONNECTION,
    maxOutboundStreams: MAX_PINGS_PER_CONNECTION,
    runOnLimitedConnection: true,
  });
}

/**
 * Sends back what comes until the other end closes, and has nothing left of it then. Whoever sends too much is cut off. Where the
 * line is full of blocks the answer waits: the other end takes a ping that is broken off for no answer, and ends the connection.
 */
export async function answerPing(asked: Stream): Promise<void> {
  const stream = cappedStream(asked, MAX_PING_BYTES);
  const limit = setTimeout(() => stream.abort(new Error("the ping did not end")), PING_PATIENCE_MS);
  try {
    for await (const bytes of stream) stream.send(bytes);
    await stream.close();
  } catch (error) {
    abortFor(stream, error);
  } finally {
    clearTimeout(limit);
  }
}
