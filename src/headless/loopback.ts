/** Hosts and addresses that are the machine itself, or all that it has. Used by whatever listens, or is told by whom it is asked. */
import { BlockList, isIP } from "node:net";

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/** Bound to it, a socket takes what comes to any of the machine's addresses. */
export function isAnyHost(host: string): boolean {
  return host === "0.0.0.0" || host === "::";
}

export function isLoopback(host: string): boolean {
  const version = isIP(host);
  if (version === 0) return host === "localhost" || host.endsWith(".localhost");
  return loopback.check(host, version === 6 ? "ipv6" : "ipv4");
}
