/**
 * All that the REST API asks of its host. The two mains (headless and page) fill these in and hand them to
 * `createApp`; nothing else in this folder reaches outside.
 */
import type { FileSearch } from "../search/file-search.ts";
import type { NodeEventName } from "../sharing/events.ts";
import type { Clock, Log } from "../sharing/ports.ts";
import type { SharingNode } from "../sharing/sharing-node.ts";
import type { ApiHono } from "./hono-app.ts";
import type { VxPorts } from "./vx/ports.ts";
import type { Webhooks } from "./webhooks/webhooks.ts";

export interface ApiPorts {
  /** Absent where the index runs alone; the node's routes then answer 404. */
  node?: SharingNode;
  /** Absent where there is no index; its routes then answer 404. */
  vx?: VxPorts;
  /** Finds the node's files and those of its swarm; absent where there is none: `q` and its like then answer 404. */
  search?: FileSearch;
  clock: Clock;
  /** Version of the program, as in package.json. */
  version: string;
  keys: ApiKeys;
  access: AccessRules;
  limits: ApiLimits;
  log: Log;
  /** Absent where the host sends none; its routes then answer 404. */
  webhooks?: Webhooks;
  /** Absent where none are shown; their routes then answer 404. */
  settings?: SettingsStore;
  /** Absent where the node's key stays with its host; its routes then answer 404. */
  identity?: Identity;
  /** Absent where what is stored is never taken away. */
  evictable?: EvictableStorage;
  /** Files of swagger-ui-dist by name; undefined for a name that is none. Absent: no readable page. */
  docsAssets?: (name: DocsAssetName) => Promise<Uint8Array<ArrayBuffer>>;
  /**
   * `gatewayRoutes`, given by a host that serves `/ipfs/{cid}` to anyone, without a key: one that never does is without
   * its code.
   */
  gateway?: (hono: ApiHono, ports: NodePorts) => void;
}

/** The ports of a host with a node. */
export type NodePorts = ApiPorts & { node: SharingNode };

export interface ApiKeys {
  /** Whether the key is one of ours and not revoked; compares in constant time. */
  verify(key: string): Promise<boolean>;
}

/** Settings of the host, with the field names of the API. Every host has all of them, though it may change few. */
export interface HostSettings {
  /** What people call this node; null where it has no name. */
  name: string | null;
  swarm: string;
  /** Multiaddrs of peers to stay connected to, relays among them. */
  bootstrap: string[];
  /** STUN and TURN urls. */
  ice_servers: string[];
  /** Most bytes of chunks to keep. */
  max_storage: number;
  /** Bytes a second over all peers; null: no limit. */
  max_upload: number | null;
  max_download: number | null;
  /** Go on with interrupted transfers at start. */
  auto_resume: boolean;
  /** Read files, and find them by what they hold. */
  search: boolean;
  /** Tell peers the beginning of shared documents. */
  excerpts: boolean;
  /** Be asked by peers to download a file. */
  invitations: boolean;
  /** Folder of an ONNX text model with its tokenizer; null: the one that comes along. */
  search_model: string | null;
}

export type HostSettingName = keyof HostSettings;

/** When a change is felt: at once, or after the host was started anew. */
export type TakesEffect = "now" | "next_start";

export interface SettingsStore {
  /** The settings that can be changed here; the others are fixed by how the host was started. */
  readonly changeable: Partial<Record<HostSettingName, TakesEffect>>;
  /** As they are set, whether they took effect or not. */
  read(): HostSettings;
  /** Settings whose value waits for the next start. */
  pending(): HostSettingName[];
  /** Only settings that are `changeable`; all of them or none. @throws SharingError `bad_request`, `storage_full` */
  change(changes: Partial<HostSettings>): Promise<void>;
}

/** The private key that makes the node's id. */
export interface Identity {
  /** The key that the next start uses, in libp2p's protobuf form, and its node id. */
  read(): Promise<NodeIdentity>;
  /** Another key for the next start; gives it back. @throws SharingError `bad_request` for what is no key */
  replace(privateKey: Uint8Array): Promise<NodeIdentity>;
}

export interface NodeIdentity {
  nodeId: string;
  privateKey: Uint8Array;
}

/** Storage that its host may take away under pressure, unless it was asked not to. */
export interface EvictableStorage {
  isPersisted(): Promise<boolean>;
  /** Asks for it to be kept; false where that is refused. May ask the person at the host. */
  persist(): Promise<boolean>;
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

export type DocsAssetName = "icon.svg" | "swagger-ui.css" | "swagger-ui-bundle.js";

/** Events that webhooks carry; all others go to event streams alone. */
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
