/**
 * Which addresses a webhook may reach: public ones alone, unless the user allowed more, so that a key holder
 * can't make the node knock on doors of its own network. Called by webhooks when one is set, and by the host
 * for every address that a name resolves to, at each delivery.
 * Sources: IANA special-purpose address registries for IPv4 and IPv6.
 */
import { parseIpAddress, withoutBrackets } from "../../sharing/ip-address.ts";

/** Networks of IPv4 that are not globally reachable. */
const SPECIAL_IPV4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "192.175.48.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
].map(parseNetwork);

/** Global unicast is 2000::/3; these parts of it are not globally reachable, or lead into IPv4 by tunnel. */
const GLOBAL_IPV6 = parseNetwork("2000::/3");
const SPECIAL_IPV6 = ["2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20"].map(
  parseNetwork,
);

/** Translation prefix (RFC 6052): the last four bytes are the IPv4 address that is reached. */
const NAT64 = parseNetwork("64:ff9b::/96");

/** Whether an IP address in text is globally reachable unicast. False for anything that is no IP address. */
export function isPublicAddress(address: string): boolean {
  const bytes = parseIpAddress(address);
  if (bytes === undefined) return false;
  if (bytes.length === 4) return isPublicIpv4(bytes);
  if (contains(NAT64, bytes)) return isPublicIpv4(bytes.subarray(12));
  return contains(GLOBAL_IPV6, bytes) && !SPECIAL_IPV6.some((network) => contains(network, bytes));
}

/** Whether a URL names a private address by itself; one behind another name shows at resolution only. */
export function isPrivateTarget(url: URL): boolean {
  const host = withoutBrackets(url.hostname).replace(/\.$/, "");
  if (parseIpAddress(host) !== undefined) return !isPublicAddress(host);
  return host.endsWith(".localhost") || host.endsWith(".local") || !host.includes(".");
}

interface Network {
  prefix: Uint8Array;
  bits: number;
}

function isPublicIpv4(bytes: Uint8Array): boolean {
  return !SPECIAL_IPV4.some((network) => contains(network, bytes));
}

function contains({ prefix, bits }: Network, address: Uint8Array): boolean {
  return prefix.every((byte, index) => {
    const significant = Math.min(8, Math.max(0, bits - index * 8));
    const mask = 0xff & (0xff00 >> significant);
    return (byte & mask) === ((address[index] ?? 0) & mask);
  });
}

function parseNetwork(text: string): Network {
  const [address = "", bits = ""] = text.split("/");
  const prefix = parseIpAddress(address);
  if (prefix === undefined) throw new Error(`not a network: ${text}`);
  return { prefix, bits: Number(bits) };
}
