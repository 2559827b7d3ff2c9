/**
 * All that the REST API asks of its host. The two mains (headless and page) fill these in and hand them to
 * `createApp`; nothing else in this folder reaches outside.
 */
import type { NodeEventName } from "../sharing/events.ts";
import type { SharingNode } from "../sharing/node.ts";
import type { Clock, Log } from "../sharing/ports.ts";
import type { VxPorts } from "./vx/ports.ts";
import type { Webhooks } from "./webhooks/webhooks.ts";

export interface ApiPorts {
  /** Absent where the index runs alone; the node's routes then answer 404. */
  node?: SharingNode;
  /** Absent where there is no index; its routes then answer 404. */
  vx?: VxPorts;
  clock: Clock;
  /** Version of the program, as in package.json. */
  version: string;
  keys: ApiKeys;
  access: AccessRules;
  limits: ApiLimits;
  log: Log;
  /** Absent where the host sends none; its routes then answer 404. */
  webhooks?: Webhooks;
  /** Files of swagger-ui-dist by name; undefined for a name that is none. Absent: no readable page. */
  docsAssets?: (name: DocsAssetName) => Promise<Uint8Array<ArrayBuffer>>;
  /** Serves `/ipfs/{cid}` to anyone, without a key. */
  gateway: boolean;
}

/** The ports of a host with a node. */
export type NodePorts = ApiPorts & { node: SharingNode };

export interface ApiKeys {
  /** Whether the key is one of ours and not revoked; compares in constant time. */
  verify(key: string): Promise<boolean>;
}

export interface AccessRules {
  /** Names besides `localhost` and IP literals that a Host header may carry, without port. */
  hostNames: readonly string[];
  /** Exact origins (`https://example.org`) that may call from another site. */
  corsOrigins: readonly string[];
}

interface ApiLimits {
  /** Requests under `/api/v1` that one client address may make in any 60 s; 0 switches the limit off. */
  requestsPerMinute: number;
  /** The same for the index's routes; 0 by default. */
  vxRequestsPerMinute?: number;
  /** Longest JSON body taken, in bytes. Uploads are bounded by storage instead. */
  maxBodyBytes: number;
}

/** Who sent a request, as the host resolved it. */
export interface ApiClient {
  /** IP address in any spelling (trusted proxies already looked through), or a page's client id. */
  address: string;
  /** The app's own page calling within its process: not counted by the rate limit. */
  inProcess?: boolean;
}

export type DocsAssetName = "swagger-ui.css" | "swagger-ui-bundle.js";

/** Events that webhooks carry; progress and interruptions go to event streams alone. */
export const WEBHOOK_EVENTS = [
  "transfer_started",
  "transfer_complete",
  "transfer_failed",
  "transfer_cancelled",
  "peer_connected",
  "peer_disconnected",
  "file_shared",
  "file_deleted",
] as const satisfies readonly NodeEventName[];

export type WebhookEventName = (typeof WEBHOOK_EVENTS)[number];
