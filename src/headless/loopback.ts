/** Hosts and addresses that are the machine itself. Used by first-key, shoal-json and foreign-pages. */
import { BlockList, isIP } from "node:net";

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

export function isLoopback(host: string): boolean {
  const version = isIP(host);
  if (version === 0) return host === "localhost" || host.endsWith(".localhost");
  return loopback.check(host, version === 6 ? "ipv6" : "ipv4");
}
