/** A TCP socket taken back from the connection that libp2p made of it. Called by native-tls and tls-guests. */
import { Socket } from "node:net";
import type { MessageStream } from "@libp2p/interface";
import type { Uint8ArrayList } from "uint8arraylist";

/** What libp2p's TCP connection has beside its interface. */
export interface TcpConnection extends MessageStream {
  socket: Socket;
  readBuffer: Uint8ArrayList;
}

export function isTcp(connection: MessageStream): connection is TcpConnection & typeof connection {
  return "socket" in connection && connection.socket instanceof Socket;
}

/** The socket, at rest, with all that it has received and nobody has read. */
export function takeSocket(connection: TcpConnection): Socket {
  const { socket, readBuffer } = connection;
  connection.pause();
  socket.removeAllListeners("data");
  socket.removeAllListeners("drain");
  socket.uncork();
  if (readBuffer.byteLength > 0) {
    socket.unshift(readBuffer.slice());
    readBuffer.consume(readBuffer.byteLength);
  }
  return socket;
}
