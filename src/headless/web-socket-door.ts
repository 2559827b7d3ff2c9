/**
 * WebSockets of the swarm that come in by the port that serves the page, so that one open port is enough for a page,
 * also behind a proxy or over TLS. Made by main, whose network gets the transport; open-web hands the connections in.
 */
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Listener } from "@libp2p/interface";
import type { webSockets } from "@libp2p/websockets";
import { soundWebSockets } from "../network/sound-web-sockets.ts";

/** libp2p's listener has this method, which its types don't show. */
interface UpgradingListener extends Listener {
  onUpgrade(incoming: IncomingMessage, socket: Socket, head: Buffer): void;
}

export interface WebSocketDoor {
  transport: ReturnType<typeof webSockets>;
  /** Takes a connection over; refused while the node listens on no WebSocket address. */
  take(incoming: IncomingMessage, socket: Socket, head: Buffer): void;
}

export function createWebSocketDoor(): WebSocketDoor {
  const factory = soundWebSockets();
  const listeners = new Set<UpgradingListener>();
  return {
    transport: (components) => {
      const transport = factory(components);
      const createListener = transport.createListener.bind(transport);
      transport.createListener = (options) => {
        const listener = createListener(options) as UpgradingListener;
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
