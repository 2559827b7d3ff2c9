/**
 * libp2p's TCP transport, but what is sent in one turn of the event loop goes out in one system call, which doubles the
 * speed of a stream; and its port takes TLS connections of others, too. Used by transports; wraps the connection before it is
 * upgraded.
 */
import type { Socket } from "node:net";
import type { MultiaddrConnection, Upgrader } from "@libp2p/interface";
import { type TCPComponents, type TCPOptions, tcp } from "@libp2p/tcp";
import type { Uint8ArrayList } from "uint8arraylist";
import { GatheredWrites } from "./gathered-writes.ts";
import type { TcpConnection } from "./taken-socket.ts";
import { letTlsIn } from "./tls-guests.ts";

/** `takeTls` is given the sockets that come in and begin with TLS; without it they are refused. */
export function gatheringTcp(
  options: TCPOptions,
  takeTls?: (socket: Socket) => void,
): (components: TCPComponents) => ReturnType<ReturnType<typeof tcp>> {
  const create = tcp(options);
  return (components) => {
    const transport = create(components);
    const dial = transport.dial.bind(transport);
    const createListener = transport.createListener.bind(transport);
    const wrapped = (upgrader: Upgrader) => gatheringUpgrader(upgrader, takeTls);
    return Object.assign(transport, {
      dial: (address, init) => dial(address, { ...init, upgrader: wrapped(init.upgrader) }),
      createListener: (init) => createListener({ ...init, upgrader: wrapped(init.upgrader) }),
    } satisfies Partial<typeof transport>);
  };
}

function gatheringUpgrader(upgrader: Upgrader, takeTls?: (socket: Socket) => void): Upgrader {
  return {
    upgradeInbound: (connection, options) => {
      if (takeTls !== undefined) letTlsIn(connection, takeTls);
      return upgrader.upgradeInbound(gather(connection), options);
    },
    upgradeOutbound: (connection, options) => upgrader.upgradeOutbound(gather(connection), options),
    createInboundAbortSignal: (signal) => upgrader.createInboundAbortSignal(signal),
    getConnectionEncrypters: () => upgrader.getConnectionEncrypters(),
    getStreamMuxers: () => upgrader.getStreamMuxers(),
  };
}

function gather(connection: MultiaddrConnection): MultiaddrConnection {
  const writes = new GatheredWrites((connection as MultiaddrConnection & TcpConnection).socket);
  return Object.assign(connection, { sendData: (data: Uint8ArrayList) => writes.send(data) });
}
