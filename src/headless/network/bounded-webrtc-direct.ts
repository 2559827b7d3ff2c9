/**
 * libp2p's WebRTC-direct, which makes a peer connection for every datagram that names a new user, before it knows whether anybody
 * is there: a thousand a second stopped a node and took 700 MB. Here a host has few that are not connected, as by TCP. Since a
 * datagram may have any sender, those from where nobody answers give their places to others: a hundred forged ones a second let
 * nobody in. Used by transports.
 */
import type { Listener } from "@libp2p/interface";
import type { webRTCDirect } from "@libp2p/webrtc";
import { subscriberOf } from "../../network/connecting/remote-address.ts";
import { HalfOpen } from "../../network/libp2p/half-open.ts";
import { ICE_ANSWER_MS, MAX_PENDING_PER_HOST } from "../../network/limits.ts";
import { soundWebRTCDirect } from "./sound-webrtc-direct.ts";

/** What the library's types don't show of its listener. */
export interface DirectListener {
  incomingConnection(user: string, host: string, port: number, signal: AbortSignal): Promise<void>;
  /** Peer connections by host, port and user. */
  readonly connections: ReadonlyMap<string, { iceConnectionState: string }>;
}

/** A connection that has begun. */
interface Begun {
  subscriber: string;
  key: string;
  beganMs: number;
  giveWay: AbortController;
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

/** Who is refused sends again, as STUN has it, and finds the place that it has been made. */
export function boundIncoming(listener: DirectListener): void {
  const halfOpen = new HalfOpen(MAX_PENDING_PER_HOST);
  /** The oldest first. */
  const begun = new Set<Begun>();

  const hasAnswered = ({ key }: Begun) =>
    /connected|completed/.test(listener.connections.get(key)?.iceConnectionState ?? "");
  const makeRoom = (subscriber: string) => {
    const ofSubscriber = [...begun].filter((it) => it.subscriber === subscriber);
    const lateMs = performance.now() - ICE_ANSWER_MS;
    for (const one of ofSubscriber.length < MAX_PENDING_PER_HOST ? begun : ofSubscriber) {
      if (one.beganMs > lateMs || hasAnswered(one)) continue;
      begun.delete(one);
      one.giveWay.abort(new Error("nobody answers there, and another has come"));
      return;
    }
  };

  const connect = listener.incomingConnection.bind(listener);
  listener.incomingConnection = async (user, host, port, signal) => {
    const subscriber = subscriberOf(host);
    const end = halfOpen.begin(subscriber);
    if (end === undefined) return makeRoom(subscriber);
    const giveWay = new AbortController();
    // The library leaves listeners on what it is given, and a signal of AbortSignal.any with any is never collected,
    // nor what they hold.
    const onAbort = () => giveWay.abort(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    const one = { subscriber, key: `${host}:${port}:${user}`, beganMs: performance.now(), giveWay };
    begun.add(one);
    try {
      await connect(user, host, port, giveWay.signal);
    } finally {
      signal.removeEventListener("abort", onAbort);
      begun.delete(one);
      end();
    }
  };
}
