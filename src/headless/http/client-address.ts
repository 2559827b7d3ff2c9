/**
 * The address that a request counts for. Called by the HTTP server; calls net.BlockList. X-Forwarded-For is
 * believed from trusted proxies alone: read from the right, the first address that is no trusted proxy is the
 * client, since everything left of it was written by that client.
 */
import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";
import { MAX_FORWARDED_HOPS } from "../limits.ts";

export type ResolveClientAddress = (incoming: IncomingMessage) => string;

/** `trustedProxies`: IP addresses and subnets (`10.0.0.0/8`). */
export function createClientAddress(trustedProxies: readonly string[]): ResolveClientAddress {
  const trusted = new BlockList();
  for (const proxy of trustedProxies) {
    const [address = "", prefix] = proxy.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    trusted.addSubnet(address, Number(prefix ?? (family === "ipv6" ? 128 : 32)), family);
  }
  const isTrusted = (address: string) => trusted.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");

  return (incoming) => {
    let address = incoming.socket.remoteAddress ?? "";
    if (trustedProxies.length === 0) return address;
    const hops = (incoming.headersDistinct["x-forwarded-for"] ?? []).join(",").split(",");
    for (const hop of hops.reverse().slice(0, MAX_FORWARDED_HOPS)) {
      const claimed = hop.trim();
      if (!isTrusted(address) || isIP(claimed) === 0) break;
      address = claimed;
    }
    return address;
  };
}
