/** What the node is and whom it knows: /api/v1/node. Called by app; calls sharing/node. */
import { createRoute, z } from "@hono/zod-openapi";
import type { KnownPeer } from "../sharing/sharing-node.ts";
import { PEER_ID } from "./examples.ts";
import { Bytes, BytesPerSecond, Timestamp } from "./fields.ts";
import { type ApiHono, jsonAnswer, jsonBody, KEY_REQUIRED, ListQuery, pageOf, Total } from "./hono-app.ts";
import { MAX_MULTIADDR_CHARS } from "./limits.ts";
import type { NodePorts } from "./ports.ts";
import { BODY_REFUSALS, refusals } from "./refusals.ts";

const NodeInfo = z
  .object({
    node_id: z.string().openapi({ description: "libp2p peer id" }),
    version: z.string(),
    uptime: z.int().min(0).openapi({ description: "Seconds" }),
    peers_connected: z.int().min(0),
    storage_used: Bytes.openapi({ description: "Bytes of stored chunks" }),
    storage_available: Bytes.openapi({ description: "Bytes that may still be stored" }),
    addresses: z.array(z.string()).openapi({ description: "Multiaddrs it can be dialled at" }),
    swarm: z.string(),
  })
  .openapi("NodeInfo");

const Peer = z
  .object({
    id: z.string(),
    name: z
      .string()
      .nullable()
      .openapi({ description: "What it says that it is called; null where it says nothing" }),
    address: z
      .string()
      .openapi({ description: "host:port; `redacted-ip.invalid:0` where a browser keeps it to itself" }),
    connected_since: Timestamp,
    files_available: z.int().min(0),
    transport: z.enum(["tcp", "websocket", "webrtc", "webrtc-direct", "relay"]),
    latency_ms: z
      .number()
      .nullable()
      .openapi({ description: "Round trip in milliseconds; null until measured" }),
    relay: z.boolean().openapi({ description: "Others can be reached through it" }),
    in_swarm: z.boolean().openapi({
      description: "It takes part in this node's swarm; a relay may be of another one",
    }),
    uploaded: Bytes.openapi({ description: "Bytes of payload sent to it since this node started" }),
    downloaded: Bytes.openapi({ description: "Bytes of payload that came from it" }),
    upload_speed: BytesPerSecond,
    download_speed: BytesPerSecond,
  })
  .openapi("Peer");

const ConnectRequest = z.object({
  address: z
    .string()
    .min(1)
    .max(MAX_MULTIADDR_CHARS)
    .startsWith("/", "must be a multiaddr such as /ip4/192.0.2.1/tcp/4001/p2p/12D3…")
    .openapi({ description: "Multiaddr" }),
});

export type NodeInfo = z.infer<typeof NodeInfo>;
export type Peer = z.infer<typeof Peer>;

export function nodeRoutes(app: ApiHono, { node, version }: NodePorts): void {
  const infoRoute = createRoute({
    method: "get",
    path: "/api/v1/node/info",
    operationId: "getNodeInfo",
    summary: "This node",
    security: KEY_REQUIRED,
    responses: { ...jsonAnswer(NodeInfo, "The node"), ...refusals() },
  });
  app.openapi(infoRoute, async (c) => {
    const info = await node.info();
    return c.json(
      {
        node_id: info.nodeId,
        version,
        uptime: Math.floor(info.uptimeSeconds),
        peers_connected: info.peersConnected,
        storage_used: info.storageUsedBytes,
        storage_available: info.storageAvailableBytes,
        addresses: info.addresses,
        swarm: info.swarm,
      },
      200,
    );
  });

  const peersRoute = createRoute({
    method: "get",
    path: "/api/v1/node/peers",
    operationId: "listPeers",
    summary: "Connected peers",
    security: KEY_REQUIRED,
    request: { query: ListQuery },
    responses: {
      ...jsonAnswer(z.object({ peers: z.array(Peer), total: Total }), "The peers"),
      ...refusals(400),
    },
  });
  app.openapi(peersRoute, (c) => {
    const peers = node.peers();
    return c.json({ peers: pageOf(peers, c.req.valid("query")).map(peerBody), total: peers.length }, 200);
  });

  const connectRoute = createRoute({
    method: "post",
    path: "/api/v1/node/peers",
    operationId: "connectPeer",
    summary: "Connect to a peer",
    security: KEY_REQUIRED,
    request: jsonBody(ConnectRequest, { address: `/ip4/192.0.2.7/tcp/4401/p2p/${PEER_ID}` }),
    responses: { ...jsonAnswer(Peer, "Connected"), ...refusals(...BODY_REFUSALS, 502) },
  });
  app.openapi(connectRoute, async (c) => {
    const peer = await node.connect(c.req.valid("json").address, c.req.raw.signal);
    return c.json(peerBody(peer), 200);
  });
}

function peerBody(peer: KnownPeer): z.infer<typeof Peer> {
  return {
    id: peer.peerId,
    name: peer.name ?? null,
    address: peer.address,
    connected_since: peer.connectedSince.toISOString(),
    files_available: peer.filesAvailable,
    transport: peer.transport,
    latency_ms: peer.latencyMs ?? null,
    relay: peer.isRelay,
    in_swarm: peer.isInSwarm,
    uploaded: peer.traffic.uploadedBytes,
    downloaded: peer.traffic.downloadedBytes,
    upload_speed: Math.round(peer.traffic.uploadBytesPerSecond),
    download_speed: Math.round(peer.traffic.downloadBytesPerSecond),
  };
}
