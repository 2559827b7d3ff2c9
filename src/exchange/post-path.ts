/**
 * How a node posts whole blocks to a peer that asked for them. A port of the exchange: in a page, requests to the
 * page's own host.
 */
import type { CID } from "multiformats/cid";

export interface PostPath {
  /** Whether it leads to the peer, and nobody else could read or change what is posted on its way. */
  leadsTo(peerId: string): boolean;
  /**
   * Settles with the block's length once the peer has all of it; with undefined, and nothing sent, where there is no such block
   * of at most `maxBytes`. @throws anything, where it may not have arrived
   */
  post(answer: PostedAnswer, signal: AbortSignal): Promise<number | undefined>;
}

export interface PostedAnswer {
  /** As it stands in a URL. */
  ticket: string;
  requestId: number;
  cid: CID;
  maxBytes: number;
}
