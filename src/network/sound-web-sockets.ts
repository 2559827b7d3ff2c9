/**
 * libp2p's WebSockets, whose connections can be aborted: the library would close such a socket with code 1006, which
 * neither browsers nor Node.js take, so that a peer that was banned stayed connected. Called by the transports of both
 * runtimes. Source: https://github.com/libp2p/js-libp2p/pull/3625
 */
import type { MultiaddrConnection, Upgrader } from "@libp2p/interface";
import { webSockets } from "@libp2p/websockets";

/** What the library's types don't show of its connections; only sockets of Node.js end without a farewell. */
interface WebSocketConnection extends MultiaddrConnection {
  websocket: { close(): void; terminate?(): void };
  sendReset(): void;
}

export function soundWebSockets(init?: Parameters<typeof webSockets>[0]): ReturnType<typeof webSockets> {
  const create = webSockets(init);
  return (components) => {
    const transport = create(components);
    const dial = transport.dial.bind(transport);
    const createListener = transport.createListener.bind(transport);
    transport.dial = (address, options) => dial(address, withSoundUpgrader(options));
    transport.createListener = (options) => createListener(withSoundUpgrader(options));
    return transport;
  };
}

/** Each connection goes through an upgrader first. */
function withSoundUpgrader<T extends { upgrader: Upgrader }>(options: T): T {
  const { upgrader } = options;
  const upgradeInbound: Upgrader["upgradeInbound"] = (connection, how) =>
    upgrader.upgradeInbound(madeSound(connection), how);
  const upgradeOutbound: Upgrader["upgradeOutbound"] = (connection, how) =>
    upgrader.upgradeOutbound(madeSound(connection), how);
  return { ...options, upgrader: { upgradeInbound, upgradeOutbound } };
}

function madeSound(connection: MultiaddrConnection): MultiaddrConnection {
  const { websocket } = connection as WebSocketConnection;
  return Object.assign(connection, {
    sendReset(): void {
      if (websocket.terminate === undefined) websocket.close();
      else websocket.terminate();
    },
  });
}
