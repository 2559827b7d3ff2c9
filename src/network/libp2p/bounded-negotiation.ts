/**
 * Bounds what a peer says before it is agreed what is spoken, of connections that come in and of the streams on any. The library
 * answers each protocol that it does not know, however many come: 64 sockets of nobody it knew took 1 GB, and five peers by
 * their streams half of that. Put between libp2p and what comes in by libp2p-node.
 * Source: https://github.com/multiformats/multistream-select
 */
import type { Connection, MessageStream, Stream } from "@libp2p/interface";
import type { Libp2pNode } from "../libp2p-node.ts";
import { cappedMessages } from "./capped-streams.ts";
import { MAX_HANDSHAKE_BYTES, MAX_NEGOTIATION_BYTES } from "./limits.ts";

type Step = (connection: MessageStream, ...options: unknown[]) => Promise<unknown>;

/** What the library's types don't show of its node. */
interface Parts {
  components: {
    upgrader: {
      connectionEncrypters: Map<string, { secureInbound: Step }>;
      _encryptInbound: Step;
      _multiplexInbound: Step;
    };
  };
}

interface OpenConnection extends Connection {
  muxer?: { addEventListener(type: "stream", heard: (event: CustomEvent<Stream>) => void): void };
}

export function boundNegotiation(node: Libp2pNode): void {
  const { upgrader } = (node as unknown as Parts).components;
  upgrader._encryptInbound = capped(upgrader._encryptInbound.bind(upgrader), MAX_NEGOTIATION_BYTES);
  // Of TLS the system's library knows how much there is to read.
  const noise = upgrader.connectionEncrypters.get("/noise");
  if (noise !== undefined) noise.secureInbound = capped(noise.secureInbound.bind(noise), MAX_HANDSHAKE_BYTES);
  upgrader._multiplexInbound = capped(upgrader._multiplexInbound.bind(upgrader), MAX_NEGOTIATION_BYTES);
  node.addEventListener("connection:open", ({ detail }) => {
    // The library's own listener has begun to read by then.
    (detail as OpenConnection).muxer?.addEventListener("stream", ({ detail: stream }) => {
      if (stream.status === "open") cappedMessages(stream, MAX_NEGOTIATION_BYTES);
    });
  });
}

function capped(step: Step, maxBytes: number): Step {
  return (connection, ...options) => step(cappedMessages(connection, maxBytes), ...options);
}
