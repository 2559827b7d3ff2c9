/**
 * What a connection's remote multiaddr says: transport, host and port. Called by connected-peers, the gater and others.
 */
import type { Multiaddr } from "@multiformats/multiaddr";
import { parseIpAddress } from "../../sharing/ip-address.ts";
import type { Transport } from "../../sharing/ports.ts";

export function transportOf(address: Multiaddr): Transport {
  const parts = new Set(address.getComponents().map((part) => part.name));
  if (parts.has("webrtc")) return "webrtc";
  if (parts.has("p2p-circuit")) return "relay";
  if (parts.has("webrtc-direct")) return "webrtc-direct";
  if (parts.has("ws") || parts.has("wss")) return "websocket";
  return "tcp";
}

/** The remote machine's address; undefined where the socket is another one's (a relay) or not known (WebRTC). */
export function hostOf(address: Multiaddr): string | undefined {
  const parts = address.getComponents();
  if (parts.some((part) => part.name === "p2p-circuit")) return undefined;
  return parts.find((part) => isHost(part.name))?.value;
}

/**
 * Whom connections from there are counted against: the remote machine's subscriber; where that is not told, the relay that brings
 * them, or the peer that was introduced.
 */
export function originOf(address: Multiaddr): string | undefined {
  const host = hostOf(address);
  if (host !== undefined) return subscriberOf(host);
  return address.getComponents().find((part) => part.name === "p2p")?.value;
}

/**
 * Whose the address is: on the internet an IPv6 one is any of the 2^64 that one subscriber is given (RFC 6177), as many
 * machines as share an IPv4 one. Those of a local network (RFC 4291, section 2.4) are a machine's each.
 */
export function subscriberOf(host: string): string {
  const bytes = parseIpAddress(host);
  const isGlobal = bytes?.length === 16 && ((bytes[0] as number) & 0xe0) === 0x20;
  return isGlobal ? `${bytes.subarray(0, 8).join(".")}/64` : host;
}

/**
 * Whether libp2p would have it looked up where it leads. In a page that is asked of companies which nobody named, so it is done
 * for who names such an address to this node, and not for its peers.
 */
export function isLookedUp(address: Multiaddr): boolean {
  return address.getComponents().some(({ name }) => name === "dnsaddr");
}

/** Whether that peer is the relay. */
export function isThrough(address: Multiaddr, peerId: string): boolean {
  const parts = address.getComponents();
  return parts.some(
    ({ name, value }, at) => name === "p2p" && value === peerId && parts[at + 1]?.name === "p2p-circuit",
  );
}

/** What ends the host in a URL (WHATWG URL, forbidden domain code points) or a line. */
const NOT_IN_HOST = /[\0-\x20"#%/:<>?@[\\\]^`{|}\x7f]/;

/**
 * Whether it leads to hosts, and to no socket in this machine's file system, and all of them are names alone. libp2p
 * writes them into URLs and descriptions of connections as they are: what a name holds beyond would be the path and
 * query that a web server is asked for.
 */
export function namesHosts(address: Multiaddr): boolean {
  return address.getComponents().every(({ name, value = "" }) => {
    if (/^(dns|dns4|dns6|dnsaddr|sni)$/.test(name)) return !NOT_IN_HOST.test(value);
    return name !== "unix";
  });
}

/** Where a socket is, as Node.js wants to have it. */
export interface HostPort {
  host: string;
  port: number;
}

/** host:port of the first socket in the address (through a relay: the relay's), IPv6 in brackets. */
export function hostPortOf(address: Multiaddr): string | undefined {
  const socket = socketOf(address);
  return socket && joinHostPort(socket.host, socket.port);
}

/** The first socket in the address. */
export function socketOf(address: Multiaddr): HostPort | undefined {
  const parts = address.getComponents();
  const host = parts.find((part) => isHost(part.name));
  const port = parts.find((part) => part.name === "tcp" || part.name === "udp");
  if (host?.value === undefined || port?.value === undefined) return undefined;
  return { host: host.value, port: Number(port.value) };
}

export function joinHostPort(host: string, port: number | string): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

function isHost(part: string): boolean {
  return /^(ip4|ip6|dns|dns4|dns6)$/.test(part);
}
