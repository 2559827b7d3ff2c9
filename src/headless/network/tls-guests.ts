/**
 * TLS connections that come to libp2p's TCP port: handed to whoever waits for them before libp2p reads a byte. A connection of
 * libp2p begins with the length of a line of text, one of TLS with the type of its first record. Called by gathering-tcp for what
 * comes in. To libp2p it is a connection that ended before its handshake, so its limits for those hold until the first byte.
 * Source: https://www.rfc-editor.org/rfc/rfc8446#section-5.1
 */
import type { Socket } from "node:net";
import type { MultiaddrConnection } from "@libp2p/interface";
import { type TcpConnection, takeSocket } from "./taken-socket.ts";

/** ContentType `handshake`. */
const TLS_HANDSHAKE = 0x16;

/** What libp2p's TCP connection has beside its interface. */
type IncomingConnection = MultiaddrConnection &
  TcpConnection & { onData(bytes: Uint8Array): void; sendReset(): void };

/** `take` is given the socket at rest, with all that it has received. */
export function letTlsIn(connection: MultiaddrConnection, take: (socket: Socket) => void): void {
  const incoming = connection as IncomingConnection;
  const goOn = incoming.onData.bind(incoming);
  let isFirst = true;
  incoming.onData = (bytes) => {
    const isGuest = isFirst && bytes[0] === TLS_HANDSHAKE;
    isFirst = false;
    if (!isGuest) return goOn(bytes);
    const socket = takeSocket(incoming);
    socket.unshift(bytes);
    socket.setTimeout(0);
    // The socket is no longer libp2p's to end.
    incoming.sendReset = () => undefined;
    incoming.abort(new Error("a guest's connection"));
    take(socket);
  };
}
