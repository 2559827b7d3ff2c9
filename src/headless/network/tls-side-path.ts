/**
 * Side streams of the exchange from headless peers, each over a TLS connection of its own beside libp2p's: without muxer and
 * streams, a transfer takes both nodes a good part less processor time. Made by open-exchange, called by the exchange, answered by
 * the other node's side-door. What is said there: peer-tls.
 */
import { once } from "node:events";
import type { OnReadOpts } from "node:net";
import { type ConnectionOptions, connect, type TLSSocket } from "node:tls";
import { peerIdFromString } from "@libp2p/peer-id";
import type { SidePath, SideWay } from "../../exchange/side-path.ts";
import type { HostPort } from "../../network/connecting/remote-address.ts";
import type { Network } from "../../network/network.ts";
import { SIDE_WORTH_BYTES, TLS_RECORD_BYTES } from "../limits.ts";
import { PEER_TLS, SIDE_ALPN } from "./peer-tls.ts";

export function createTlsSidePath(network: Pick<Network, "transportOf" | "tcpSocketOf">): SidePath {
  const way = (peerId: string): SideWay => ({
    worthBytes: SIDE_WORTH_BYTES,
    async read(ticket, take, signal) {
      const place = await network.tcpSocketOf(peerId);
      if (place === undefined) throw new Error("the peer takes no connections where it is known to be");
      await readSide(place, { peerId, ticket, take, signal });
    },
  });
  return { to: (peerId) => (network.transportOf(peerId) === "tcp" ? way(peerId) : undefined) };
}

interface Reading {
  peerId: string;
  ticket: Uint8Array;
  take(bytes: Uint8Array): void;
  signal: AbortSignal;
}

async function readSide(place: HostPort, { peerId, ticket, take, signal }: Reading): Promise<void> {
  const buffer = Buffer.allocUnsafeSlow(TLS_RECORD_BYTES);
  let isVerified = false;
  const options: ConnectionOptions & { onread: OnReadOpts } = {
    ...place,
    ...PEER_TLS,
    ALPNProtocols: [SIDE_ALPN],
    // Certificates are self-signed; what makes them good is checked below.
    rejectUnauthorized: false,
    onread: {
      buffer,
      callback: (bytes) => {
        try {
          if (!isVerified) throw new Error("bytes before the ticket");
          take(buffer.subarray(0, bytes));
        } catch (error) {
          socket.destroy(error as Error);
        }
        return true;
      },
    },
  };
  const socket = connect(options);
  const end = () => socket.destroy();
  signal.addEventListener("abort", end, { once: true });
  const closed = new Promise<void>((resolve, reject) => {
    socket.on("error", reject);
    socket.on("close", () => resolve());
  });
  const introduce = async () => {
    await once(socket, "secureConnect", { signal });
    await verify(socket, peerId);
    isVerified = true;
    socket.setNoDelay(true).write(ticket);
  };
  try {
    await Promise.all([closed, introduce()]);
  } finally {
    signal.removeEventListener("abort", end);
    socket.destroy();
  }
}

/** @throws where the other end is not the peer */
async function verify(socket: TLSSocket, peerId: string): Promise<void> {
  const { verifyPeerCertificate } = await import("@libp2p/tls/utils");
  await verifyPeerCertificate(socket.getPeerCertificate().raw, peerIdFromString(peerId));
}
