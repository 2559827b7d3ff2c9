/**
 * Side streams of the exchange from the host that served this page, and from nobody else: its origin is this machine or
 * https, as for any page that runs a node, so what it sends needs no cipher of ours. Cookies go along, for a proxy before the
 * host that asks who comes. Made by open-exchange, called by the exchange, answered by headless/web/web-app.
 */
import { type SidePath, type SideWay, ticketText } from "../../exchange/side-path.ts";

/** `hostNodeId`: of the node that serves the page, as /shoal.json tells. */
export function createHostSidePath(origin: URL, hostNodeId: string | undefined): SidePath {
  const way: SideWay = {
    worthBytes: 0,
    async read(ticket, take, signal) {
      const response = await fetch(new URL(`/exchange/${ticketText(ticket)}`, origin), {
        cache: "no-store",
        redirect: "error",
        signal,
      });
      if (!response.ok || response.body === null) throw new Error(`the host answered ${response.status}`);
      const reader = response.body.getReader();
      for (let next = await reader.read(); !next.done; next = await reader.read()) take(next.value);
    },
  };
  return { to: (peerId) => (peerId === hostNodeId ? way : undefined) };
}
