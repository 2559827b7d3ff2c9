/**
 * Which of a node's addresses go into a link: few, since a link is pasted and drawn as a QR code, and first those that a
 * page can dial. Called by file-actions; tests in unit/ui/links. Source: the multiaddr protocol names of libp2p.
 */
import { MAX_OWN_ADDRESSES } from "./limits.ts";

/** In the order of how likely they help whoever opens the link in a browser. */
const KINDS: readonly RegExp[] = [
  // From page to page; a relay reached by WebSocket only introduces the two.
  /\/wss?\/.*\/p2p-circuit\/webrtc\//,
  /^(?!.*p2p-circuit).*\/webrtc-direct\//,
  /^(?!.*p2p-circuit).*\/wss?\//,
  /\/p2p-circuit\/webrtc\//,
  // For headless nodes alone.
  /^(?!.*p2p-circuit).*\/tcp\//,
];

/** Addresses that only this machine can dial go last. */
const LOOPBACK = /^\/ip(4\/127\.|6\/::1\/)/;

export function addressesForLink(addresses: readonly string[]): string[] {
  return addresses
    .map((address) => ({ address, rank: rankOf(address) }))
    .filter(({ rank }) => rank !== undefined)
    .sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0))
    .slice(0, MAX_OWN_ADDRESSES)
    .map(({ address }) => address);
}

/**
 * The same for a QR code: one for each machine that they lead to, since cameras read short codes with ease, and the other ways
 * to the same machine seldom help where the surest does not.
 */
export function addressesForCode(addresses: readonly string[]): string[] {
  const seen = new Set<string>();
  return addressesForLink(addresses).filter((address) => {
    const machine = address.split("/", 3).join("/");
    if (seen.has(machine)) return false;
    seen.add(machine);
    return true;
  });
}

function rankOf(address: string): number | undefined {
  const kind = KINDS.findIndex((pattern) => pattern.test(address));
  if (kind === -1) return undefined;
  return kind + (LOOPBACK.test(address) ? KINDS.length : 0);
}
