/**
 * The transports of a headless node and where it listens by default. Called by open-network, which hands them to
 * openNetwork. Nothing here contacts anybody: the ICE servers are those given, never a library's defaults.
 */
import { createSocket } from "node:dgram";
import { createServer, type Socket } from "node:net";
import { mdns } from "@libp2p/mdns";
import { multiaddr } from "@multiformats/multiaddr";
import { transportOf } from "../../network/connecting/remote-address.ts";
import { boundedWebRTC } from "../../network/libp2p/bounded-signalling.ts";
import { MAX_EARLY_STREAMS } from "../../network/limits.ts";
import type { NetworkOptions } from "../../network/network.ts";
import { relayTransport } from "../../network/relay/relay-transport.ts";
import { MAX_CHANNEL_MESSAGE_BYTES, MAX_CHANNEL_QUEUED_BYTES, SOCKET_INACTIVITY_MS } from "../limits.ts";
import { boundedWebSockets } from "./bounded-web-sockets.ts";
import { boundedWebRTCDirect } from "./bounded-webrtc-direct.ts";
import { gatheringTcp } from "./gathering-tcp.ts";
import { nativeIceServers } from "./ice-servers.ts";

/** Ports by default; others are taken when these are in use, so that several nodes run on one machine. */
const DEFAULT_PORTS = { tcp: 4401, ws: 4402, webrtcDirect: 4403 } as const;

const LOCAL_WEB_SOCKETS = "/ip4/127.0.0.1/tcp/0/ws";

/** `webSocketTransport`: another than libp2p's own, see web-socket-door. `takeTls`: see gathering-tcp. */
export function headlessTransports(options: {
  iceServers: string[];
  webSocketTransport?: NetworkOptions["transports"][number];
  takeTls?: (socket: Socket) => void;
}): NetworkOptions["transports"] {
  const rtcConfiguration = { iceServers: nativeIceServers(options.iceServers) };
  const dataChannel = { maxBufferedAmount: MAX_CHANNEL_QUEUED_BYTES };
  const inactivity = {
    inboundSocketInactivityTimeout: SOCKET_INACTIVITY_MS,
    outboundSocketInactivityTimeout: SOCKET_INACTIVITY_MS,
  };
  return [
    gatheringTcp(
      { ...inactivity, dialOpts: { noDelay: true }, listenOpts: { noDelay: true } },
      options.takeTls,
    ),
    options.webSocketTransport ?? boundedWebSockets(),
    boundedWebRTCDirect({ rtcConfiguration, dataChannel, maxEarlyStreams: MAX_EARLY_STREAMS }),
    boundedWebRTC({
      rtcConfiguration,
      dataChannel: { ...dataChannel, maxMessageSize: MAX_CHANNEL_MESSAGE_BYTES },
      maxEarlyStreams: MAX_EARLY_STREAMS,
    }),
    relayTransport(),
  ];
}

/** Finds nodes of the same swarm on the local network. */
export function mdnsDiscovery(swarmName: string): NonNullable<NetworkOptions["mdns"]> {
  return mdns({ serviceTag: `_shoal-${swarmName.replaceAll(/[^a-z0-9-]/g, "-")}._udp.local` });
}

/**
 * The addresses given, or by default every transport on all interfaces. `hasDoor`: a web-socket-door stands before the listener
 * for WebSockets, so there must be one, if only for this machine.
 */
export async function listenAddresses(given: string[], hasDoor: boolean): Promise<string[]> {
  if (given.length > 0) return hasDoor && !given.some(isWebSocket) ? [...given, LOCAL_WEB_SOCKETS] : given;
  const [tcpPort, wsPort, udpPort] = await Promise.all([
    freePort(DEFAULT_PORTS.tcp, canListenTcp),
    freePort(DEFAULT_PORTS.ws, canListenTcp),
    freePort(DEFAULT_PORTS.webrtcDirect, canListenUdp),
  ]);
  return [
    `/ip4/0.0.0.0/tcp/${tcpPort}`,
    `/ip6/::/tcp/${tcpPort}`,
    `/ip4/0.0.0.0/tcp/${wsPort}/ws`,
    `/ip4/0.0.0.0/udp/${udpPort}/webrtc-direct`,
    "/webrtc",
  ];
}

function isWebSocket(address: string): boolean {
  return transportOf(multiaddr(address)) === "websocket";
}

/** The port if it is free, else 0: any. */
async function freePort(port: number, canListen: (port: number) => Promise<boolean>): Promise<number> {
  return (await canListen(port)) ? port : 0;
}

function canListenTcp(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ port, host: "0.0.0.0" }, () => server.close(() => resolve(true)));
  });
}

function canListenUdp(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket("udp4");
    socket.once("error", () => resolve(false));
    socket.bind(port, "0.0.0.0", () => socket.close(() => resolve(true)));
  });
}
