/**
 * Multiaddrs as people, settings and hosts of pages give them. Called by dialer, bootstrap, and the page for what its
 * host tells.
 */
import { peerIdFromString } from "@libp2p/peer-id";
import { type Multiaddr, multiaddr } from "@multiformats/multiaddr";
import { isSharingError, SharingError } from "../../sharing/errors.ts";

/** `what`: the address as its giver knows it. @throws SharingError `bad_request` */
export function parseAddress(address: string, what = "the address"): Multiaddr {
  try {
    const parsed = multiaddr(address);
    const parts = parsed.getComponents();
    if (parts.length === 0) throw new Error("it has no part");
    // The library itself reads the ids of peers no earlier than it dials them.
    for (const { name, value = "" } of parts) if (name === "p2p") peerIdFromString(value);
    return parsed;
  } catch (error) {
    throw new SharingError("bad_request", `${what} ${address.slice(0, 200)} is no multiaddr`, {
      cause: error,
    });
  }
}

export function isAddress(text: string): boolean {
  try {
    parseAddress(text);
    return true;
  } catch (error) {
    if (!isSharingError(error, "bad_request")) throw error;
    return false;
  }
}
