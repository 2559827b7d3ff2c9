/**
 * WebSockets of the swarm that come in by the port that serves the page, so that one open port is enough for a page,
 * also behind a proxy or over TLS. Made by main; open-network gets the transport; open-web hands the connections in.
 */
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { webSockets } from "@libp2p/websockets";
import { boundedWebSockets, type WebSocketListener } from "./bounded-web-sockets.ts";

export interface WebSocketDoor {
  transport: ReturnType<typeof webSockets>;
  /** Takes a connection over; refused while the node listens on no WebSocket address. */
  take(incoming: IncomingMessage, socket: Socket, head: Buffer): void;
}

export function createWebSocketDoor(): WebSocketDoor {
  const factory = boundedWebSockets();
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
      if (listener === undefined) socket.end("HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n");
      else listener.onUpgrade(incoming, socket, head);
    },
  };
}
