/**
 * libp2p's TCP transport, but what is sent in one turn of the event loop goes out in one system call. As it comes,
 * each 64 KiB message costs about nine writes (lengths, headers and pieces one by one), which halves the speed of a
 * stream. Used by transports; wraps the connection before it is upgraded.
 */
import type { Socket } from "node:net";
import type { MessageStream, MultiaddrConnection, Upgrader } from "@libp2p/interface";
import { type TCPComponents, type TCPOptions, tcp } from "@libp2p/tcp";
import type { Uint8ArrayList } from "uint8arraylist";

/** Bytes queued in a socket before its sender has to wait: a few messages, so that the line never runs dry. */
const MAX_QUEUED_BYTES = 512 * 1024;

/** What libp2p's TCP connection has beside its interface. */
interface TcpConnection extends MultiaddrConnection {
  socket: Socket;
}

export function gatheringTcp(
  options: TCPOptions,
): (components: TCPComponents) => ReturnType<ReturnType<typeof tcp>> {
  const create = tcp(options);
  return (components) => {
    const transport = create(components);
    const dial = transport.dial.bind(transport);
    const createListener = transport.createListener.bind(transport);
    return Object.assign(transport, {
      dial: (address, init) => dial(address, { ...init, upgrader: gatheringUpgrader(init.upgrader) }),
      createListener: (init) => createListener({ ...init, upgrader: gatheringUpgrader(init.upgrader) }),
    } satisfies Partial<typeof transport>);
  };
}

function gatheringUpgrader(upgrader: Upgrader): Upgrader {
  return {
    upgradeInbound: (connection, options) => upgrader.upgradeInbound(gather(connection), options),
    upgradeOutbound: (connection, options) => upgrader.upgradeOutbound(gather(connection), options),
    createInboundAbortSignal: (signal) => upgrader.createInboundAbortSignal(signal),
    getConnectionEncrypters: () => upgrader.getConnectionEncrypters(),
    getStreamMuxers: () => upgrader.getStreamMuxers(),
  };
}

function gather(connection: MultiaddrConnection): MultiaddrConnection {
  gatherWrites(connection, (connection as TcpConnection).socket);
  return connection;
}

/** Makes what a stream over this socket sends while the event loop polls go out in one system call. */
export function gatherWrites(stream: MessageStream, socket: Socket): void {
  let isGathering = false;
  const release = () => {
    isGathering = false;
    socket.uncork();
  };
  const sendData = (data: Uint8ArrayList) => {
    if (!isGathering) {
      isGathering = true;
      socket.cork();
      setImmediate(release);
    }
    for (const piece of data) socket.write(piece);
    return { sentBytes: data.byteLength, canSendMore: socket.writableLength < MAX_QUEUED_BYTES };
  };
  Object.assign(stream, { sendData });
}
