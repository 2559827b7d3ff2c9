/**
 * Refuses a Host that a stranger's DNS name could have brought here (DNS rebinding): only `localhost`, IP
 * literals and the names the user gave are ours. The first check of app.
 */
import { parseIpAddress } from "../sharing/ip-address.ts";
import { ApiError } from "./errors.ts";

/** Checks the Host header and the authority of the URL, which differ where who made the URL took the header for no host. */
export function refuseForeignHost(request: Request, url: URL, hostNames: readonly string[]): void {
  const header = request.headers.get("host");
  const hosts = header === null ? [url.host] : [header, url.host];
  if (!hosts.every((host) => isOwnHost(host, hostNames))) {
    throw new ApiError(403, "This Host is not served here; see --host-name");
  }
}

/** `host` may carry any port, or none after its colon. */
function isOwnHost(host: string, hostNames: readonly string[]): boolean {
  const match = /^(?:\[([^\]]+)\]|([^:]+))(?::\d{0,5})?$/.exec(host);
  if (match === null) return false;
  const [, bracketed, plain] = match;
  if (bracketed !== undefined) return bracketed.includes(":") && parseIpAddress(bracketed) !== undefined;
  const name = (plain ?? "").toLowerCase();
  if (name === "localhost" || parseIpAddress(name) !== undefined) return true;
  return hostNames.some((own) => own.toLowerCase() === name);
}
