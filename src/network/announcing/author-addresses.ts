/**
 * Addresses that authors tell of themselves, from and to binary multiaddrs. What comes in is hostile: only kinds of
 * addresses that a transport here may dial are kept, and only for the author itself. Called by the swarm and dialer.
 */
import { type Multiaddr, multiaddr } from "@multiformats/multiaddr";
import { MAX_ADDRESS_BYTES, MAX_AUTHOR_ADDRESSES } from "./limits.ts";

/** Parts an address may be made of; no unix sockets, no memory, no nested http paths. */
const ALLOWED_PARTS = new Set([
  "ip4",
  "ip6",
  "ip6zone",
  "dns",
  "dns4",
  "dns6",
  "tcp",
  "udp",
  "ws",
  "wss",
  "tls",
  "sni",
  "webrtc",
  "webrtc-direct",
  "certhash",
  "p2p",
  "p2p-circuit",
]);

/** The addresses that lead to the author, each ending in its peer id; others are left out. */
export function readAuthorAddresses(authorId: string, addresses: Uint8Array[]): Multiaddr[] {
  return addresses.slice(0, MAX_AUTHOR_ADDRESSES).flatMap((bytes) => {
    const address = parse(bytes);
    return address !== undefined && leadsTo(address, authorId) ? [address] : [];
  });
}

/** Own addresses for others, the most direct first. */
export function writeAuthorAddresses(addresses: Multiaddr[]): Uint8Array[] {
  return [...addresses]
    .sort((a, b) => directness(a) - directness(b))
    .map((address) => address.bytes)
    .filter((bytes) => bytes.byteLength <= MAX_ADDRESS_BYTES)
    .slice(0, MAX_AUTHOR_ADDRESSES);
}

/**
 * Order in which addresses are tried: TCP between headless nodes before all else, since WebRTC between two of them
 * over a relay fails in one of six dials; a relayed connection only when nothing direct works.
 */
export function directness(address: Multiaddr): number {
  const parts = new Set(address.getComponents().map((part) => part.name));
  if (parts.has("webrtc")) return 3;
  if (parts.has("p2p-circuit")) return 4;
  if (parts.has("webrtc-direct")) return 2;
  if (parts.has("ws") || parts.has("wss")) return 1;
  return 0;
}

/** Whether a dial begins at somebody else's relay, even where it ends in a direct connection. */
export function isRelayed(address: Multiaddr): boolean {
  return address.getComponents().some(({ name }) => name === "p2p-circuit");
}

function parse(bytes: Uint8Array): Multiaddr | undefined {
  try {
    return multiaddr(bytes);
  } catch {
    // The library throws errors of many kinds for bytes that are no multiaddr: the address is left out.
    return undefined;
  }
}

function leadsTo(address: Multiaddr, authorId: string): boolean {
  const parts = address.getComponents();
  const last = parts.at(-1);
  const isHost = /^(ip4|ip6|ip6zone|dns|dns4|dns6)$/.test(parts[0]?.name ?? "");
  const circuits = parts.filter((part) => part.name === "p2p-circuit").length;
  return (
    isHost &&
    circuits <= 1 &&
    last?.name === "p2p" &&
    last.value === authorId &&
    parts.every((part) => ALLOWED_PARTS.has(part.name))
  );
}
