/** How a node opens the side stream of a peer. A port of the exchange: in a page it is a fetch from the page's own host. */
import { base64url } from "multiformats/bases/base64";

export interface SidePath {
  /** Whether the peer's side streams can be opened, and nobody else could read or change them on their way. */
  leadsTo(peerId: string): boolean;
  /** The bytes of the side stream as they come; the signal ends these, too. @throws anything, where they can't be had */
  open(ticket: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>>;
}

/** A ticket as it stands in a URL. */
export function ticketText(ticket: Uint8Array): string {
  return base64url.baseEncode(ticket);
}
