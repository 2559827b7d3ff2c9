/**
 * Peer ids and multiaddrs in requests, as schemas: what the network would stumble over later is refused here. Called by
 * invitations and settings.
 */
import { z } from "@hono/zod-openapi";
import { peerIdFromString } from "@libp2p/peer-id";
import { multiaddr } from "@multiformats/multiaddr";
import { MAX_MULTIADDR_CHARS, MAX_PEER_ID_CHARS } from "./limits.ts";

export const PeerIdText = z
  .string()
  .min(1)
  .max(MAX_PEER_ID_CHARS)
  .refine(isPeerId, "must be a peer id such as 12D3Koo…");

export const MultiaddrText = z
  .string()
  .max(MAX_MULTIADDR_CHARS)
  .refine(isMultiaddr, "must be a multiaddr such as /ip4/192.0.2.1/tcp/4001/p2p/12D3…");

function isPeerId(text: string): boolean {
  try {
    peerIdFromString(text);
    return true;
  } catch {
    return false;
  }
}

/** The library reads peer ids in it no earlier than it dials. */
function isMultiaddr(text: string): boolean {
  try {
    const parts = multiaddr(text).getComponents();
    return parts.length > 0 && parts.every(({ name, value = "" }) => name !== "p2p" || isPeerId(value));
  } catch {
    return false;
  }
}
