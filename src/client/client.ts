/**
 * The typed client of the node's REST API: for the page, the command line, tests and users. One method a route; the
 * types are those of the API's own schemas. Calls send, and what a route needs beyond one request: content, events,
 * unlisting.
 */
import type { MapPoint } from "../api/file-map.ts";
import type { File, FoundFile, FoundNetworkFile, SharedFile } from "../api/files.ts";
import type { Folder, FolderDownload, FolderRequest, StartedFile } from "../api/folders.ts";
import type { Health } from "../api/health.ts";
import type { IdentityBody, ReplacedIdentity } from "../api/identity.ts";
import type { Invitation, SentInvitation } from "../api/invitations.ts";
import type { NodeInfo, Peer } from "../api/node.ts";
import type { WebhookEventName } from "../api/ports.ts";
import type { RankedBy, SearchStatus, SimilarFile } from "../api/search.ts";
import type { Settings, SettingsChange } from "../api/settings.ts";
import type { Persisted, Storage } from "../api/storage.ts";
import type { SystemStats } from "../api/system.ts";
import type { Ticket } from "../api/tickets.ts";
import type {
  ChunkMapBody,
  DownloadRequest,
  ResumedTransfer,
  StartedTransfer,
  Transfer,
  TransferDetails,
} from "../api/transfer-bodies.ts";
import type { NewWebhook, WebhookBody } from "../api/webhooks/routes.ts";
import { holds, isDone, isList, isSwitch, isText, listOf } from "./answer-checks.ts";
import { type ContentOptions, readContent } from "./content.ts";
import { type EventOptions, readEvents, type ShoalEvent } from "./events.ts";
import { pathTo } from "./path-to.ts";
import { type Ask, type ClientOptions, createAsk, createSend, type Send } from "./send.ts";
import { ShoalError } from "./shoal-error.ts";
import { Unlisting } from "./unlisting.ts";

export interface ListOptions {
  /** Most entries, 1 or more. */
  limit?: number | undefined;
  /** Entries left out at the start. */
  offset?: number | undefined;
}

export interface FileListOptions extends ListOptions {
  /** What is looked for, by name and by meaning; hits come best first. */
  q?: string | undefined;
  /** SQL over the files' columns; see the OpenAPI document. */
  filter?: string | undefined;
  signal?: AbortSignal | undefined;
}

/** A list of files; one of a search says by what it was ranked. */
export interface FileList<F> {
  files: F[];
  total: number;
  ranked_by?: RankedBy;
}

export interface FileMapOptions {
  /** Default: all. */
  scope?: "all" | "local" | "network" | undefined;
  signal?: AbortSignal | undefined;
}

export interface SimilarOptions extends FileMapOptions {
  limit?: number | undefined;
}

export interface TransferListOptions extends ListOptions {
  status?: readonly Transfer["status"][] | undefined;
  /** Ended transfers too. */
  all?: boolean | undefined;
}

export interface ShareOptions {
  /**
   * true: peers are not told of the file, and one that knows its id gets it; ShoalError 405 of a node that is too old
   * for it. Left out: as it was before, and a new file is told of.
   */
  unlisted?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

export interface UploadOptions extends ShareOptions {
  /** What the file is called, without a folder. */
  name: string;
}

interface Done {
  success: true;
  message: string;
}

/** Of all that is listed each has an id. */
const ENTRIES = listOf(holds({ id: isText }));
const DONE = { success: isDone };

/** Every method throws ShoalError for a refusal or an answer that is no node's, and what fetch throws where none comes. */
export class ShoalClient {
  readonly #send: Send;
  readonly #json: Ask;
  readonly #unlisting: Unlisting;

  /** `baseUrl` is the origin of a node, such as `http://127.0.0.1:8081`. @throws TypeError for what is no such URL */
  constructor(baseUrl: string, options: ClientOptions = {}) {
    this.#send = createSend(baseUrl, options);
    this.#json = createAsk(baseUrl, this.#send);
    this.#unlisting = new Unlisting(this.#send);
  }

  /** Whether all is served, and for how many seconds; needs no key. ShoalError 503 while a stored index is loading. */
  health(): Promise<Health> {
    return this.#json({ status: isText }, "GET", "/health");
  }

  /** Uptime in seconds, storage in bytes. */
  nodeInfo(): Promise<NodeInfo> {
    return this.#json({ node_id: isText }, "GET", "/api/v1/node/info");
  }

  /** Those that are connected; traffic in bytes and bytes a second. */
  peers(list: ListOptions = {}): Promise<{ peers: Peer[]; total: number }> {
    return this.#json({ peers: ENTRIES }, "GET", "/api/v1/node/peers", { query: { ...list } });
  }

  /** Dials a multiaddr. ShoalError 400 for what is none, 502 where nobody answers. */
  connect(address: string, signal?: AbortSignal): Promise<Peer> {
    return this.#json({ id: isText }, "POST", "/api/v1/node/peers", { json: { address }, signal });
  }

  /** Asks a peer to download a file that is here. ShoalError 404 where it is not, 502 where the peer takes no invitation. */
  invite(peerId: string, fileId: string, signal?: AbortSignal): Promise<Done & { invitation_id: string }> {
    const json = { peer_id: peerId, file_id: fileId };
    return this.#json({ ...DONE, invitation_id: isText }, "POST", "/api/v1/invitations", { json, signal });
  }

  /** What peers ask this node to download, oldest first; sizes in bytes. */
  invitations(list: ListOptions = {}): Promise<{ invitations: Invitation[]; total: number }> {
    return this.#json({ invitations: ENTRIES }, "GET", "/api/v1/invitations", { query: { ...list } });
  }

  /** What this node has asked peers to download, oldest first, and what came of it; sizes in bytes. */
  sentInvitations(list: ListOptions = {}): Promise<{ invitations: SentInvitation[]; total: number }> {
    return this.#json({ invitations: ENTRIES }, "GET", "/api/v1/invitations/sent", { query: { ...list } });
  }

  /** Forgets an invitation; ShoalError 404 for one that is not there. */
  dismissInvitation(invitationId: string): Promise<Done> {
    return this.#json(DONE, "DELETE", pathTo`/api/v1/invitations/${invitationId}`);
  }

  /** Load of the processors as a fraction, memory and disk in bytes, traffic in bytes and bytes a second. */
  systemStats(): Promise<SystemStats> {
    return this.#json({ network: holds({}) }, "GET", "/api/v1/system/stats");
  }

  /** Sizes in bytes, rates in bytes a second. */
  settings(): Promise<Settings> {
    return this.#json({ changeable: holds({}) }, "GET", "/api/v1/settings");
  }

  /**
   * All of the changes or none; `changeable` of the settings says which may be made, and ShoalError 409 that one may
   * not, 400 that one is wrong.
   */
  async changeSettings(changes: SettingsChange): Promise<Settings> {
    const wrong = Object.entries(changes).find(([, value]) => Number.isNaN(value));
    // JSON says null for it, which would lift a limit.
    if (wrong !== undefined) throw new ShoalError(`${wrong[0]}: must be a number`, 400, "400", undefined);
    return await this.#json({ changeable: holds({}) }, "PATCH", "/api/v1/settings", { json: changes });
  }

  /** The private key; ShoalError 404 where the host keeps it to itself. */
  identity(): Promise<IdentityBody> {
    return this.#json({ private_key: isText }, "GET", "/api/v1/identity");
  }

  /** Another private key, in base64, from the next start on; ShoalError 404 where the host keeps its own. */
  replaceIdentity(privateKey: string): Promise<ReplacedIdentity> {
    return this.#json({ node_id: isText }, "PUT", "/api/v1/identity", { json: { private_key: privateKey } });
  }

  /** Bytes used and left, and whether the host may take what is stored away. */
  storage(): Promise<Storage> {
    return this.#json({ persisted: isSwitch }, "GET", "/api/v1/storage");
  }

  /** Asks the host to take nothing away; ShoalError 404 where it never does. */
  persistStorage(): Promise<Persisted> {
    return this.#json({ persisted: isSwitch }, "POST", "/api/v1/storage/persist");
  }

  /** Prometheus text. */
  async metrics(): Promise<string> {
    return await (await this.#send("GET", "/metrics")).text();
  }

  /** Files here, oldest first, or what a search finds among them, best first. ShoalError 400 for a wrong filter. */
  files({ signal, ...list }: FileListOptions = {}): Promise<FileList<FoundFile>> {
    return this.#json({ files: ENTRIES }, "GET", "/api/v1/files", { query: { ...list }, signal });
  }

  /** One that is here, whole or in part; ShoalError 404 else. */
  file(fileId: string): Promise<File> {
    return this.#json({ id: isText }, "GET", pathTo`/api/v1/files/${fileId}`);
  }

  /** Files that other peers offer, or what a search finds among them, best first. */
  networkFiles({ signal, ...list }: FileListOptions = {}): Promise<FileList<FoundNetworkFile>> {
    return this.#json({ files: ENTRIES }, "GET", "/api/v1/files/network", { query: { ...list }, signal });
  }

  /** Files like one that is here or offered by others, the most similar first. */
  similarFiles(
    fileId: string,
    { signal, ...options }: SimilarOptions = {},
  ): Promise<Required<FileList<SimilarFile>>> {
    return this.#json({ files: ENTRIES }, "GET", pathTo`/api/v1/files/${fileId}/similar`, {
      query: { ...options },
      signal,
    });
  }

  /** Where files lie by what they are about; ShoalError 409 while there is no index of them. */
  fileMap({ signal, ...options }: FileMapOptions = {}): Promise<{ points: MapPoint[]; total: number }> {
    return this.#json({ points: isList }, "GET", "/api/v1/files/map", { query: { ...options }, signal });
  }

  /** How far search by meaning is. */
  searchStatus(): Promise<SearchStatus> {
    return this.#json({ state: isText }, "GET", "/api/v1/search");
  }

  /**
   * Shares a file of the node's machine: a path beneath one of its share roots, where relative ones are looked for.
   * ShoalError 403 for one outside of them, 404 where there is none, 507 where there is no room. The answer comes once
   * all of it is hashed.
   */
  async share(filePath: string, { unlisted, signal }: ShareOptions = {}): Promise<SharedFile> {
    await this.#unlisting.expect(unlisted, signal);
    return await this.#json({ file_id: isText }, "POST", "/api/v1/files/share", {
      json: { file_path: filePath, unlisted },
      signal,
    });
  }

  /** Shares bytes of this machine; a stream is sent as it comes. ShoalError 507 where the node has no room. */
  async upload(
    body: Blob | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>,
    { name, unlisted, signal }: UploadOptions,
  ): Promise<SharedFile> {
    await this.#unlisting.expect(unlisted, signal);
    const query = { name, unlisted };
    return await this.#json({ file_id: isText }, "POST", "/api/v1/files", { query, body, signal });
  }

  /**
   * Tells peers of a file, or tells of it no more: one that knows its id gets it either way. ShoalError 404 where it is
   * not here.
   */
  changeFile(fileId: string, change: { unlisted: boolean }): Promise<File> {
    return this.#json({ id: isText }, "PATCH", pathTo`/api/v1/files/${fileId}`, {
      json: change,
    });
  }

  /**
   * Shares a folder of the node's machine under one id, that of a list of its files: as `share`, with the refusals of a file that
   * can't be shared, and ShoalError 400 for more files than a folder has.
   */
  async shareFolder(folderPath: string, { unlisted, signal }: ShareOptions = {}): Promise<SharedFile> {
    await this.#unlisting.expect(unlisted, signal);
    return await this.#json({ file_id: isText }, "POST", "/api/v1/folders/share", {
      json: { folder_path: folderPath, unlisted },
      signal,
    });
  }

  /**
   * Shares files that are here under one id. Paths are relative, of plain names with slashes between. ShoalError 404 for a file
   * that is not here, 400 for a path that is wrong or there twice.
   */
  async makeFolder(folder: FolderRequest): Promise<SharedFile> {
    await this.#unlisting.expect(folder.unlisted);
    return await this.#json({ file_id: isText }, "POST", "/api/v1/folders", { json: folder });
  }

  /**
   * The files of a folder, sizes in bytes, once its list was asked for with `download`, or while others hold it. ShoalError 404
   * where neither is so, 400 where the file is no list, 503 where nobody brings it.
   */
  folder(fileId: string, signal?: AbortSignal): Promise<Folder> {
    return this.#json({ files: isList }, "GET", pathTo`/api/v1/folders/${fileId}`, { signal });
  }

  /** All files of a folder as a ZIP archive, as the response's body. ShoalError 409 while not all of them are here. */
  async folderArchive(fileId: string, signal?: AbortSignal): Promise<Response> {
    return await this.#send("GET", pathTo`/api/v1/files/${fileId}/content`, {
      query: { as: "zip" },
      signal,
    });
  }

  /** Starts the download of each file of a folder, as `folder` and `download`, and first of a list that others offer. */
  async downloadFolder(
    fileId: string,
    options: FolderDownload = {},
  ): Promise<{ transfers: StartedFile[]; total: number }> {
    await this.#unlisting.expect(options.unlisted);
    return await this.#json({ transfers: isList }, "POST", pathTo`/api/v1/folders/${fileId}/download`, {
      json: options,
    });
  }

  /**
   * The bytes of a file, or a range of them, as the response's body; also of one still downloading. ShoalError 416 for a range
   * beyond its end, or of what are no places in a file.
   */
  content(fileId: string, options: ContentOptions = {}): Promise<Response> {
    return readContent(this.#send, fileId, options);
  }

  /** Stops sharing a file and deletes its chunks. ShoalError 409 while it is downloaded. */
  deleteFile(fileId: string): Promise<Done> {
    return this.#json(DONE, "DELETE", pathTo`/api/v1/files/${fileId}`);
  }

  /** A path to a file's bytes that works without a key, for media elements and saves. */
  ticket(fileId: string): Promise<Ticket> {
    return this.#json({ url: isText }, "POST", "/api/v1/tickets", { json: { file_id: fileId } });
  }

  /**
   * Starts a download and gives its transfer at once; `events` or `transfer` tell of its end. ShoalError 403 for an
   * output outside the download root, 409 for one that exists.
   */
  async download(request: DownloadRequest): Promise<StartedTransfer> {
    await this.#unlisting.expect(request.unlisted);
    return await this.#json({ transfer_id: isText }, "POST", "/api/v1/transfers/download", { json: request });
  }

  /** Those that are active, newest first; ended ones are kept for 24 h. Speeds in bytes a second, progress from 0 to 1. */
  transfers(options: TransferListOptions = {}): Promise<{ transfers: Transfer[]; total: number }> {
    const { status, ...rest } = options;
    return this.#json({ transfers: ENTRIES }, "GET", "/api/v1/transfers", {
      query: { ...rest, status: status?.join(",") },
    });
  }

  /** One transfer with its peers, for 24 h after its end; ShoalError 404 else. */
  transfer(transferId: string): Promise<TransferDetails> {
    return this.#json({ id: isText, peers: isList }, "GET", pathTo`/api/v1/transfers/${transferId}`);
  }

  /** Every chunk, or with `sample` at most so many, evenly spread over the file: the cheap way to draw a large one. */
  chunks(transferId: string, options: { sample?: number | undefined } = {}): Promise<ChunkMapBody> {
    const path = pathTo`/api/v1/transfers/${transferId}/chunks`;
    return this.#json({ states: isText }, "GET", path, { query: options });
  }

  /**
   * Goes on with the newest interrupted transfer of the file, else one that runs or failed, else one that was cancelled.
   * ShoalError 404 where it was never asked for, 409 where all are complete.
   */
  resume(fileId: string): Promise<ResumedTransfer> {
    return this.#json({ transfer_id: isText }, "POST", pathTo`/api/v1/transfers/resume/${fileId}`);
  }

  /** Fetches no more until `resume`. ShoalError 409 where it has ended. */
  pause(transferId: string): Promise<Done> {
    return this.#json(DONE, "POST", pathTo`/api/v1/transfers/${transferId}/pause`);
  }

  /** Ends a transfer for good and drops what it brought. ShoalError 409 where it has ended. */
  cancel(transferId: string): Promise<Done> {
    return this.#json(DONE, "POST", pathTo`/api/v1/transfers/${transferId}/cancel`);
  }

  /** Addresses that are told of events, and whether deliveries arrive. */
  webhooks(): Promise<{ webhooks: WebhookBody[] }> {
    return this.#json({ webhooks: ENTRIES }, "GET", "/api/v1/node/webhooks");
  }

  /**
   * Tells an address of events (default: all). `secret`, which is told only now, checks the signatures (Standard Webhooks).
   * ShoalError 403 for a private address where the node does not allow it.
   */
  addWebhook(url: string, events?: readonly WebhookEventName[]): Promise<NewWebhook> {
    return this.#json({ id: isText, secret: isText }, "POST", "/api/v1/node/webhooks", {
      json: { url, events },
    });
  }

  /** Another address, or other events; its secret stays, and one that was stopped is told again. */
  changeWebhook(
    webhookId: string,
    changes: { url?: string | undefined; events?: readonly WebhookEventName[] | undefined },
  ): Promise<WebhookBody> {
    return this.#json({ id: isText }, "PATCH", pathTo`/api/v1/node/webhooks/${webhookId}`, {
      json: changes,
    });
  }

  /** ShoalError 404 where there is none, 409 for one of the node's own settings. */
  removeWebhook(webhookId: string): Promise<Done> {
    return this.#json(DONE, "DELETE", pathTo`/api/v1/node/webhooks/${webhookId}`);
  }

  /** The OpenAPI 3.1 document of this node; needs no key. */
  openApi(): Promise<Record<string, unknown>> {
    return this.#json({ openapi: isText }, "GET", "/api/v1/openapi.json");
  }

  /**
   * Events as they happen. They end for a reader that is too slow, and for one whose key is revoked. A node that stops breaks
   * them off, which throws what fetch throws, and `signal` its reason.
   */
  events(options: EventOptions = {}): AsyncGenerator<ShoalEvent> {
    return readEvents(this.#send, options);
  }
}
