/**
 * WebSockets of the swarm that come in by the port that serves the page, so that one open port is enough for a page,
 * also behind a proxy or over TLS. Made by main; open-network gets the transport; open-web hands the connections in.
 */
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { webSockets } from "@libp2p/websockets";
import type { AccessRules } from "../../api/ports.ts";
import type { Log } from "../../sharing/ports.ts";
import { RepeatedWarning } from "../../sharing/repeated-warning.ts";
import { systemClock } from "../../sharing/system-clock.ts";
import { boundedWebSockets, refuse, type WebSocketListener } from "./bounded-web-sockets.ts";
import { isForeignPage } from "./foreign-pages.ts";

export interface WebSocketDoor {
  transport: ReturnType<typeof webSockets>;
  /** Takes a connection over; refused while the node listens on no WebSocket address. */
  take(incoming: IncomingMessage, socket: Socket, head: Buffer): void;
}

export function createWebSocketDoor(access: AccessRules, log: Pick<Log, "warn">): WebSocketDoor {
  const refusals = new RepeatedWarning(
    { log, clock: systemClock },
    "a web page of another site was not let into the swarm; see --host-name and --cors-origin",
  );
  const factory = boundedWebSockets((headers) => {
    const isForeign = isForeignPage(headers, access);
    if (isForeign) refusals.tell({ origin: headers.origin, host: headers.host });
    return isForeign;
  });
  const listeners = new Set<WebSocketListener>();
  return {
    transport: (components) => {
      const transport = factory(components);
      const createListener = transport.createListener.bind(transport);
      transport.createListener = (options) => {
        const listener = createListener(options) as WebSocketListener;
        listener.addEventListener("listening", () => void listeners.add(listener), { once: true });
        listener.addEventListener("close", () => void listeners.delete(listener), { once: true });
        return listener;
      };
      return transport;
    },
    take(incoming, socket, head) {
      const [listener] = listeners;
      if (listener === undefined) refuse(socket, "404 Not Found");
      else listener.onUpgrade(incoming, socket, head);
    },
  };
}
