/**
 * libp2p's TLS 1.3 (/tls/1.0.0) that takes over the TCP socket itself, so that Node.js encrypts and decrypts in its own
 * code: @libp2p/tls puts two JavaScript streams between socket and cipher, and noise a cipher object and a copy a
 * message. Any libp2p node that speaks TLS understands it. Made by open-network; connections without a TCP socket are
 * left to @libp2p/tls. Source: https://github.com/libp2p/specs/blob/master/tls/tls.md
 */
import { once } from "node:events";
import { connect, type SecureContext, TLSSocket } from "node:tls";
import {
  type ConnectionEncrypter,
  InvalidCryptoExchangeError,
  type MessageStream,
  type SecureConnectionOptions,
  type SecuredConnection,
} from "@libp2p/interface";
import type { TLSComponents } from "@libp2p/tls";
import { peerContext } from "./peer-certificate.ts";
import { isTcp, type TcpConnection, takeSocket } from "./taken-socket.ts";
import { TlsConnection } from "./tls-connection.ts";

/** The one ALPN name that leaves the choice of the muxer for later. */
const ALPN = "libp2p";

/** Listed before noise. The library is loaded with the first connection, since it doubles the time of a start. */
export function nativeTls(): (components: TLSComponents) => ConnectionEncrypter {
  return (components) => {
    const encrypt =
      (isServer: boolean) =>
      async <S extends MessageStream>(connection: S, options?: SecureConnectionOptions) => {
        if (isTcp(connection)) {
          return secure(connection, await peerContext(components.privateKey), isServer, options);
        }
        const { tls } = await import("@libp2p/tls");
        const generic = tls()(components);
        return isServer
          ? generic.secureInbound(connection, options)
          : generic.secureOutbound(connection, options);
      };
    return { protocol: "/tls/1.0.0", secureInbound: encrypt(true), secureOutbound: encrypt(false) };
  };
}

async function secure(
  connection: TcpConnection,
  secureContext: SecureContext,
  isServer: boolean,
  options: SecureConnectionOptions = {},
): Promise<SecuredConnection> {
  const { verifyPeerCertificate } = await import("@libp2p/tls/utils");
  const raw = takeSocket(connection);
  const settings = {
    secureContext,
    // Certificates are self-signed; what makes them good is checked below.
    rejectUnauthorized: false,
    ALPNProtocols: [ALPN],
  } as const;
  const socket = isServer
    ? new TLSSocket(raw, { ...settings, isServer, requestCert: true })
    : connect({ ...settings, socket: raw });
  endBefore(connection, socket);
  // Also when nobody waits for the handshake: an error without a listener would end the process.
  socket.on("error", (error) => connection.abort(error));
  try {
    await once(socket, "secure", options.signal && { signal: options.signal });
    const { raw: der } = socket.getPeerCertificate();
    if (der === undefined) throw new InvalidCryptoExchangeError("the peer sent no certificate");
    const remotePeer = await verifyPeerCertificate(der, options.remotePeer, connection.log);
    return { connection: new TlsConnection(connection, socket), remotePeer };
  } catch (error) {
    socket.destroy();
    connection.abort(error as Error);
    throw error;
  }
}

/**
 * Whoever aborts the connection ends the TLS socket first: where the one beneath it went first, at the end of a
 * handshake, Node.js 20 ended by a segmentation fault, as that of a node did which dialled itself by an address without
 * a peer id.
 */
function endBefore(connection: TcpConnection, socket: TLSSocket): void {
  const abort = connection.abort.bind(connection);
  connection.abort = (error) => {
    socket.destroy();
    abort(error);
  };
}
