/** The protocol's name and what the exchange needs of libp2p to speak it. Implemented by network. */
import type { Stream } from "@libp2p/interface";
import type { Transport } from "../sharing/ports.ts";

/** A change that an old node could not skip as an optional message gets a new name. */
export const PROTOCOL = "/shoal/exchange/1.0.0";

/** Streams must be let run over limited connections (relays) too: `runOnLimitedConnection`. */
export interface ExchangeStreams {
  /** Opens a stream, dialling the peer if need be. */
  openStream(peerId: string, protocol: string, signal: AbortSignal): Promise<Stream>;
  handle(protocol: string, handler: (stream: Stream, peerId: string) => void): Promise<void> | void;
  /** The peer owes us an answer, and is silent: its connections end, unless somebody is there. */
  doubt(peerId: string): void;
  /** How the peer is connected now. */
  transportOf(peerId: string): Transport | undefined;
  /** Whom the peer is counted with: all that come from one host, or through one relay. Undefined when it is not connected. */
  originOf(peerId: string): string | undefined;
}

/** True where the transport pushes back when it is full, so that more may be under way at once. */
export function isBulk(transport: Transport | undefined): boolean {
  return transport === "tcp" || transport === "websocket";
}
