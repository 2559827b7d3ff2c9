/**
 * Which web pages may join the swarm by a WebSocket. A browser lets every page that is open in it connect to its own machine
 * and network: one of a stranger could list and fetch what is shared where no stranger comes. Who is no page names no
 * origin, and could come otherwise. Called by bounded-web-sockets and the web-socket-door. Source: RFC 6455 (section 10.2).
 */
import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";
import type { AccessRules } from "../../api/ports.ts";
import { withoutBrackets } from "../../sharing/ip-address.ts";
import { isLoopback } from "../loopback.ts";

/**
 * Whether a request for one comes from a page that may not. Pages may that are of this machine, of the address that they ask for,
 * or listed; and over https, without which a page of another machine runs no node, those of a name of this host, which a proxy
 * may hide, and those that ask for one.
 */
export function isForeignPage({ origin, host = "" }: IncomingHttpHeaders, access: AccessRules): boolean {
  if (origin === undefined || access.corsOrigins.includes(origin)) return false;
  const page = hostNameOf(origin);
  const asked = hostNameOf(`http://${host}`);
  if (page === undefined || asked === undefined) return true;
  const isItsAddress = isIP(asked) !== 0 && asked === page;
  if (isLoopback(page) || isItsAddress) return false;
  // Over http a page of a stranger could ask for any of our names.
  if (origin.startsWith("http:")) return true;
  // A name of a stranger may lead here, too (DNS rebinding).
  const isNamed = (name: string) => access.hostNames.some((own) => own.toLowerCase() === name);
  return !isNamed(page) && (isLoopback(asked) || !isNamed(asked));
}

function hostNameOf(url: string): string | undefined {
  return URL.canParse(url) ? withoutBrackets(new URL(url).hostname) : undefined;
}
