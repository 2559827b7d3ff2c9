/**
 * The transports of a node in a page. Called by open-network, which hands them on. A page is reached by WebRTC,
 * with a relay to introduce the two; it reaches headless nodes by WebSockets and WebRTC-direct as well. The ICE servers
 * are those given, never a library's defaults.
 */
import "./peer-connection.ts";
import { webRTCDirect } from "@libp2p/webrtc";
import { iceServerOf } from "../../api/ice-server.ts";
import { boundedWebRTC } from "../../network/libp2p/bounded-signalling.ts";
import { soundWebSockets } from "../../network/libp2p/sound-web-sockets.ts";
import { MAX_EARLY_STREAMS } from "../../network/limits.ts";
import type { NetworkOptions } from "../../network/network.ts";
import { relayTransport } from "../../network/relay/relay-transport.ts";
import type { Log } from "../../sharing/ports.ts";
import {
  MAX_DATA_CHANNEL_BUFFER_BYTES,
  MAX_DATA_CHANNEL_MESSAGE_BYTES,
  MAX_WEB_SOCKET_BUFFER_BYTES,
} from "../limits.ts";

/** Reached through relays that the node meets; listening on them is the network's. */
export const PAGE_LISTEN = ["/webrtc"];

export function pageTransports({
  iceServers,
  log,
}: {
  iceServers: string[];
  log: Log;
}): NetworkOptions["transports"] {
  const rtcConfiguration: RTCConfiguration = { iceServers: usableServers(iceServers, log) };
  const dataChannel = { maxBufferedAmount: MAX_DATA_CHANNEL_BUFFER_BYTES };
  return [
    soundWebSockets({ maxBufferedAmount: MAX_WEB_SOCKET_BUFFER_BYTES }),
    webRTCDirect({ rtcConfiguration, dataChannel, maxEarlyStreams: MAX_EARLY_STREAMS }),
    boundedWebRTC({
      rtcConfiguration,
      dataChannel: { ...dataChannel, maxMessageSize: MAX_DATA_CHANNEL_MESSAGE_BYTES },
      maxEarlyStreams: MAX_EARLY_STREAMS,
    }),
    relayTransport(),
  ];
}

/** Those that the engine takes: with one that it refuses there would be no WebRTC at all. */
function usableServers(texts: string[], log: Log): RTCIceServer[] {
  return texts.flatMap((text) => {
    try {
      const server = iceServerOf(text);
      if (server === undefined)
        throw new Error("it is no STUN server, and no TURN server with name and password");
      new RTCPeerConnection({ iceServers: [server] }).close();
      return server;
    } catch (error) {
      // Its password stays out of the log.
      log.warn("a STUN or TURN server is left out", { server: text.replace(/:[^@]*@/, ":…@"), error });
      return [];
    }
  });
}
