/**
 * libp2p's WebRTC-direct, which makes a peer connection for every datagram that names a new user, before it knows whether anybody
 * is there: a thousand a second stopped a node and took 700 MB. Here a host has few that are not connected, as by TCP. Used by
 * transports.
 */
import type { Listener } from "@libp2p/interface";
import type { webRTCDirect } from "@libp2p/webrtc";
import { HalfOpen } from "../network/half-open.ts";
import { MAX_PENDING_PER_HOST } from "../network/limits.ts";
import { subscriberOf } from "../network/remote-address.ts";
import { soundWebRTCDirect } from "./sound-webrtc-direct.ts";

/** What the library's types don't show of its listener. */
export interface DirectListener {
  incomingConnection(user: string, host: string, port: number, signal: AbortSignal): Promise<void>;
}

export function boundedWebRTCDirect(
  init: Parameters<typeof webRTCDirect>[0],
): ReturnType<typeof webRTCDirect> {
  const create = soundWebRTCDirect(init);
  return (components) => {
    const transport = create(components);
    const createListener = transport.createListener.bind(transport);
    transport.createListener = (options) => {
      const listener = createListener(options) as Listener & DirectListener;
      boundIncoming(listener);
      return listener;
    };
    return transport;
  };
}

/** Who is refused sends again, as STUN has it. */
export function boundIncoming(listener: DirectListener): void {
  const halfOpen = new HalfOpen(MAX_PENDING_PER_HOST);
  const connect = listener.incomingConnection.bind(listener);
  listener.incomingConnection = async (user, host, port, signal) => {
    const end = halfOpen.begin(subscriberOf(host));
    if (end === undefined) return;
    try {
      await connect(user, host, port, signal);
    } finally {
      end();
    }
  };
}
