/**
 * libp2p's WebSockets, with six changes. What they bring that is no WebSocket's ends them: of six such bytes the library
 * knows nothing, and the whole node ended. They can be aborted: the library would close such a socket with code 1006, which
 * neither browsers nor Node.js take, so that a peer that was banned stayed connected. Those that are refused are aborted,
 * by whichever end, where the library waits half a minute for their farewell, or for ever. One that is given up while it
 * opens is closed: it would go on, and a browser opens one at a time to an address. What is sent together goes as one
 * message, within bounds: the library makes one of each length, ciphertext and tag, four for 64 KiB, and a page that
 * receives them pays by the message. And a full one goes on sooner (socket-room). Called by the transports of both
 * runtimes.
 * Source of the second: https://github.com/libp2p/js-libp2p/pull/3625; of the fourth: RFC 6455, section 4.1
 */
import type { MultiaddrConnection, Upgrader } from "@libp2p/interface";
import { webSockets } from "@libp2p/websockets";
import type { Multiaddr } from "@multiformats/multiaddr";
import { Uint8ArrayList } from "uint8arraylist";
import { orAborted } from "../or-aborted.ts";
import { MAX_WEB_SOCKET_MESSAGE_BYTES } from "./limits.ts";
import { SocketRoom } from "./socket-room.ts";

/** What the library's types don't show of its connections; only sockets of Node.js end without a farewell. */
interface WebSocketConnection extends MultiaddrConnection {
  websocket: {
    bufferedAmount: number;
    close(): void;
    terminate?(): void;
    addEventListener(type: "message" | "error", heard: () => void): void;
  };
  maxBufferedAmount: number;
  checkBufferedAmountTask: Pick<SocketRoom, "start" | "stop">;
  sendReset(): void;
  sendData(data: Uint8ArrayList): { sentBytes: number; canSendMore: boolean };
}

/** And of its transport: whoever may give up what it opens. */
interface OpeningTransport {
  _connect(address: Multiaddr, options: { signal: Quiet }): Promise<unknown>;
}

type Quiet = Pick<AbortSignal, "aborted" | "reason" | "throwIfAborted" | "addEventListener">;

export function soundWebSockets(init?: Parameters<typeof webSockets>[0]): ReturnType<typeof webSockets> {
  const create = webSockets(init);
  return (components) => {
    const transport = create(components);
    const dial = transport.dial.bind(transport);
    const createListener = transport.createListener.bind(transport);
    const opening = transport as unknown as OpeningTransport;
    const open = opening._connect.bind(opening);
    opening._connect = (address, options) => open(address, { ...options, signal: quiet(options.signal) });
    transport.dial = (address, options) => dial(address, withSoundUpgrader(options));
    transport.createListener = (options) => createListener(withSoundUpgrader(options));
    return transport;
  };
}

/** It ends as the signal, and does not say so afterwards: the library closes what it opens only for other ends than this. */
function quiet(signal: Quiet): Quiet {
  return {
    aborted: false,
    get reason() {
      return signal.reason;
    },
    throwIfAborted: () => signal.throwIfAborted(),
    addEventListener: signal.addEventListener.bind(signal),
  };
}

/** Each connection goes through an upgrader first. */
function withSoundUpgrader<T extends { upgrader: Upgrader }>(options: T): T {
  const { upgrader } = options;
  const upgradeInbound: Upgrader["upgradeInbound"] = (connection, how) =>
    orAborted(connection, () => upgrader.upgradeInbound(madeSound(connection), how));
  const upgradeOutbound: Upgrader["upgradeOutbound"] = (connection, how) =>
    orAborted(connection, () => upgrader.upgradeOutbound(madeSound(connection), how));
  return { ...options, upgrader: { upgradeInbound, upgradeOutbound } };
}

function madeSound(connection: MultiaddrConnection): MultiaddrConnection {
  const { websocket, maxBufferedAmount, sendData } = connection as WebSocketConnection;
  const room = new SocketRoom(websocket, maxBufferedAmount, () =>
    connection.dispatchEvent(new Event("drain")),
  );
  websocket.addEventListener("error", () => connection.abort(new Error("the WebSocket failed")));
  return Object.assign(connection, {
    checkBufferedAmountTask: room,
    maxMessageSize: MAX_WEB_SOCKET_MESSAGE_BYTES,
    sendData: (data: Uint8ArrayList) => sendData.call(connection, new Uint8ArrayList(data.subarray())),
    sendReset(): void {
      if (websocket.terminate === undefined) websocket.close();
      else websocket.terminate();
    },
  });
}
