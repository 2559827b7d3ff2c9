/** Hosts that are the machine itself, whoever names them. Used by shoal-json and foreign-pages. */
import { isIP } from "node:net";

export function isLoopback(host: string): boolean {
  if (isIP(host) === 4) return host.startsWith("127.");
  return host === "::1" || host === "localhost" || host.endsWith(".localhost");
}
