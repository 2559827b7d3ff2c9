/**
 * libp2p's WebRTC between peers that a relay introduces, for whom a peer connection is made as soon as they ask: so
 * many of each at a time, with as much to say as there is. The library reads descriptions of 4 MiB, one of which held
 * up a node for 18 s, and counts as connected whoever hangs up after its offer: that took all places of a node in two
 * seconds. And it keeps every connection until it stops, of which Chromium gives a page no more than 500. Called by the
 * transports of both runtimes.
 * Source: https://github.com/libp2p/specs/blob/master/webrtc/webrtc.md
 */
import type { Connection, MultiaddrConnection, Stream, Upgrader } from "@libp2p/interface";
import { webRTC } from "@libp2p/webrtc";
import { originOf } from "../connecting/remote-address.ts";
import { MAX_PENDING_PER_RELAY } from "../limits.ts";
import { cappedMessages } from "./capped-streams.ts";
import { HalfOpen } from "./half-open.ts";
import { MAX_SIGNALLING_BYTES } from "./limits.ts";

/** What the library's types don't show of its transport. */
interface SignallingTransport {
  _onProtocol(stream: Stream, connection: Connection, signal: AbortSignal): Promise<void>;
  /** Until `ending` tells that it is closed. */
  _closeOnShutdown(ending: EventTarget, connection: MultiaddrConnection): void;
}

interface PeerConnection {
  connectionState: string;
  addEventListener(type: "connectionstatechange", heard: () => void): void;
}

type Components = Parameters<ReturnType<typeof webRTC>>[0];

export function boundedWebRTC(init: Parameters<typeof webRTC>[0]): ReturnType<typeof webRTC> {
  const create = webRTC(init);
  return (components) => {
    const transport = create(withPatientUpgrader(components));
    const signalling = transport as unknown as SignallingTransport;
    const halfOpen = new HalfOpen(MAX_PENDING_PER_RELAY);
    const introduce = signalling._onProtocol.bind(transport);
    signalling._onProtocol = async (stream, connection, signal) => {
      const end = halfOpen.begin(originOf(connection.remoteAddr) ?? "");
      if (end === undefined) return stream.abort(new Error("too many introductions at a time"));
      try {
        await introduce(cappedMessages(stream, MAX_SIGNALLING_BYTES), connection, signal);
      } catch (error) {
        // The library leaves it open where no peer connection can be made: whoever asked would wait until they give up.
        stream.abort(error as Error);
        throw error;
      } finally {
        end();
      }
    };
    // It waits for the close of the peer connection, which is no event that there is.
    const closeOnShutdown = signalling._closeOnShutdown.bind(transport);
    signalling._closeOnShutdown = (_peer, connection) => {
      if (connection.status === "open") closeOnShutdown(connection, connection);
    };
    return transport;
  };
}

/** The peer may have hung up because it is connected, which shows here a little later. */
function withPatientUpgrader(components: Components): Components {
  const { upgrader } = components;
  const upgradeInbound = async (connection: MultiaddrConnection, options: { signal: AbortSignal }) => {
    const { peerConnection } = connection as MultiaddrConnection & { peerConnection: PeerConnection };
    await untilConnected(peerConnection, options.signal);
    await upgrader.upgradeInbound(connection, options);
  };
  const patient: Upgrader = Object.create(upgrader, { upgradeInbound: { value: upgradeInbound } });
  return Object.create(components, { upgrader: { value: patient } });
}

function untilConnected(peer: PeerConnection, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = () => {
      if (peer.connectionState === "connected") resolve();
      else if (/failed|closed/.test(peer.connectionState)) reject(new Error("the peer connection failed"));
    };
    peer.addEventListener("connectionstatechange", look);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    look();
  });
}
