/**
 * libp2p's WebSockets, which listen within bounds: the library reads messages of 100 MiB, also before it knows from whom, waits
 * for ever for the request that opens one, also when it is to close, and takes any web page's. Used by transports and the
 * web-socket-door.
 */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Server, Socket } from "node:net";
import type { Listener } from "@libp2p/interface";
import type { AccessRules } from "../../api/ports.ts";
import { subscriberOf } from "../../network/connecting/remote-address.ts";
import { HalfOpen } from "../../network/libp2p/half-open.ts";
import { soundWebSockets } from "../../network/libp2p/sound-web-sockets.ts";
import {
  INBOUND_UPGRADE_TIMEOUT_MS,
  MAX_PENDING_PER_HOST,
  MAX_TAKEN_WEB_SOCKET_MESSAGE_BYTES,
} from "../../network/limits.ts";
import { isForeignPage } from "./foreign-pages.ts";

/** What the library's types don't show of its listener. */
export interface WebSocketListener extends Listener {
  readonly server: Server;
  readonly wsServer: { options: { maxPayload?: number } };
  onUpgrade(incoming: IncomingMessage, socket: Socket, head: Buffer): void;
}

const NO_OTHERS: AccessRules = { hostNames: [], corsOrigins: [] };

/** `isForeign`: whether who asks for one by these headers gets none. */
export function boundedWebSockets(
  isForeign = (headers: IncomingHttpHeaders) => isForeignPage(headers, NO_OTHERS),
): ReturnType<typeof soundWebSockets> {
  const create = soundWebSockets();
  return (components) => {
    const transport = create(components);
    const createListener = transport.createListener.bind(transport);
    transport.createListener = (options) => bound(createListener(options) as WebSocketListener, isForeign);
    return transport;
  };
}

function bound(listener: WebSocketListener, isForeign: (headers: IncomingHttpHeaders) => boolean): Listener {
  listener.wsServer.options.maxPayload = MAX_TAKEN_WEB_SOCKET_MESSAGE_BYTES;
  const halfOpen = new HalfOpen(MAX_PENDING_PER_HOST);
  /** By the sockets that have not asked for one. */
  const ends = new Map<Socket, () => void>();
  listener.server.prependListener("connection", (socket) => {
    const end = halfOpen.begin(subscriberOf(socket.remoteAddress ?? ""));
    if (end === undefined) {
      socket.destroy();
      return;
    }
    const timeout = setTimeout(() => socket.destroy(), INBOUND_UPGRADE_TIMEOUT_MS);
    const finish = () => {
      clearTimeout(timeout);
      if (ends.delete(socket)) end();
    };
    ends.set(socket, finish);
    socket.once("close", finish);
  });
  const upgrade = listener.onUpgrade.bind(listener);
  listener.onUpgrade = (incoming, socket, head) => {
    ends.get(socket)?.();
    if (isForeign(incoming.headers)) refuse(socket, "403 Forbidden");
    else upgrade(incoming, socket, head);
  };
  const close = listener.close.bind(listener);
  listener.close = async () => {
    const closing = close();
    // By now it takes no others.
    for (const socket of ends.keys()) socket.destroy();
    await closing;
  };
  return listener;
}

export function refuse(socket: Socket, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`, () => socket.destroy());
}
