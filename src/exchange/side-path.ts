/**
 * How a node opens the side streams of its peers. A port of the exchange: in a page it is a fetch from the page's own host,
 * headless a connection under TLS.
 */
import { base64url } from "multiformats/bases/base64";

export interface SidePath {
  /** The way to a peer; undefined where there is none, or somebody else could read or change what comes on it. */
  to(peerId: string): SideWay | undefined;
}

export interface SideWay {
  /** Bytes that a conversation has brought, or of a file that it watches, from which on a side stream is worth its opening. */
  readonly worthBytes: number;
  /**
   * Hands on the bytes of the side stream as they come, each stretch valid during the call only. Settles when it has ended;
   * the signal ends it, too. @throws anything, where it can't be had or breaks off, and what `take` throws
   */
  read(ticket: Uint8Array, take: (bytes: Uint8Array) => void, signal: AbortSignal): Promise<void>;
}

/** A ticket as it stands in a URL. */
export function ticketText(ticket: Uint8Array): string {
  return base64url.baseEncode(ticket);
}
