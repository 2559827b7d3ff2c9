/**
 * Transfers as the API asks for them and tells of them: schemas, and the bodies that are made of the node's own. Called by
 * transfers and folders.
 */
import { z } from "@hono/zod-openapi";
import { base64pad } from "multiformats/bases/base64";
import { DEFAULT_MAX_PEERS } from "../sharing/limits.ts";
import type { ChunkMap } from "../sharing/transfers/chunk-map.ts";
import {
  ACTIVE_STATUSES,
  type TransferDetail,
  type TransferStatus,
} from "../sharing/transfers/transfer-record.ts";
import type { TransferRequest } from "../sharing/transfers/transfer-request.ts";
import {
  Bytes,
  BytesPerSecond,
  FileId,
  FileIdInBody,
  Fraction,
  NameText,
  PathText,
  Timestamp,
} from "./fields.ts";
import { MAX_PEERS_A_DOWNLOAD } from "./limits.ts";

export const ALL_STATUSES = [
  ...ACTIVE_STATUSES,
  "completed",
  "failed",
  "cancelled",
] as const satisfies readonly TransferStatus[];

const Status = z.enum(ALL_STATUSES).openapi("TransferStatus");
const TransferId = z.string().openapi({ format: "uuid" });

const listed = {
  id: TransferId,
  file_id: FileId,
  name: z.string(),
  size: Bytes.nullable().openapi({ description: "Bytes; null until known" }),
  status: Status,
  progress: Fraction.openapi({ description: "Verified share of the file, 0 to 1" }),
  speed: BytesPerSecond,
  started_at: Timestamp,
  estimated_completion: Timestamp.nullable().openapi({ description: "null while unknown" }),
  ended_at: Timestamp.nullable(),
  paused: z
    .boolean()
    .openapi({ description: "Interrupted on request: goes on only when resumed, not by itself" }),
  waiting: z.boolean().openapi({
    description:
      "Runs, and other files come first: of its peers, of its folder, or of all that were asked for",
  }),
  repair: z.boolean().openapi({ description: "Not asked for: fetches again what storage here has lost" }),
  error: z.string().nullable().openapi({ description: "Why it failed or was interrupted" }),
  storage_full: z.boolean().openapi({ description: "It failed since the node has no room for more of it" }),
};

export const Transfer = z.object({ ...listed, peers: z.int().min(0) }).openapi("Transfer");

export const TransferDetails = z
  .object({
    ...listed,
    peers: z.array(z.object({ id: z.string(), chunks_downloaded: z.int().min(0), speed: BytesPerSecond })),
    output_path: z.string().nullable(),
  })
  .openapi("TransferDetails");

/** How a file is brought, and to where. */
export const DownloadOptions = z.object({
  output_path: PathText.optional().openapi({
    description: "Where to copy the file; none: it stays in the store",
  }),
  multi_peer: z.boolean().optional().openapi({ default: true }),
  max_peers: z.int().min(1).max(MAX_PEERS_A_DOWNLOAD).optional().openapi({ default: DEFAULT_MAX_PEERS }),
  strategy: z
    .enum(["rarest_first", "sequential", "round_robin"])
    .optional()
    .openapi({ default: "rarest_first" }),
  overwrite: z.boolean().optional().openapi({ default: false }),
  unlisted: z.boolean().optional().openapi({
    description:
      "true: strangers are not asked for it, nor peers told of it, unless it is listed here already. What comes from a peer that lists it nowhere stays unlisted in any case",
    default: false,
  }),
});

export const DownloadRequest = DownloadOptions.extend({
  file_id: FileIdInBody,
  name: NameText.optional().openapi({ description: "The file's name where nobody announces one" }),
}).openapi("DownloadRequest");

export const ChunkMapBody = z
  .object({
    chunks: z.int().min(0).openapi({ description: "Chunks of the file" }),
    states: z.string().openapi({ description: "One digit an entry: 0 missing, 1 asked for, 2 held" }),
    sources: z.string().openapi({
      format: "byte",
      description: "Base64 of one byte an entry: index into peers, 255 where nobody knows who brought it",
    }),
    peers: z.array(z.string()),
  })
  .openapi("ChunkMap");

export const Started = z.object({ transfer_id: TransferId, file_id: FileId, status: Status });

export const Resumed = Started.extend({ progress: Fraction });

export type Transfer = z.infer<typeof Transfer>;
export type TransferDetails = z.infer<typeof TransferDetails>;
export type DownloadRequest = z.input<typeof DownloadRequest>;
export type StartedTransfer = z.infer<typeof Started>;
export type ResumedTransfer = z.infer<typeof Resumed>;
export type ChunkMapBody = z.infer<typeof ChunkMapBody>;

export function transferRequest(
  fileId: string,
  name: string | undefined,
  options: z.infer<typeof DownloadOptions>,
): TransferRequest {
  return {
    fileId,
    multiPeer: options.multi_peer ?? true,
    overwrite: options.overwrite ?? false,
    ...(name !== undefined && { name }),
    ...(options.output_path !== undefined && { outputPath: options.output_path }),
    ...(options.max_peers !== undefined && { maxPeers: options.max_peers }),
    ...(options.strategy !== undefined && { strategy: options.strategy }),
    ...(options.unlisted !== undefined && { isUnlisted: options.unlisted }),
  };
}

export function startedBody({ id, fileId, status }: TransferDetail): z.infer<typeof Started> {
  return { transfer_id: id, file_id: fileId, status };
}

function common(transfer: TransferDetail) {
  return {
    id: transfer.id,
    file_id: transfer.fileId,
    name: transfer.name,
    size: transfer.sizeBytes ?? null,
    status: transfer.status,
    progress: transfer.progress,
    speed: Math.round(transfer.bytesPerSecond),
    started_at: transfer.startedAt.toISOString(),
    estimated_completion: transfer.estimatedCompletion?.toISOString() ?? null,
    ended_at: transfer.endedAt?.toISOString() ?? null,
    paused: transfer.isPaused,
    waiting: transfer.isWaiting,
    repair: transfer.isRepair,
    error: transfer.error ?? null,
    storage_full: transfer.isStorageFull,
  };
}

export function listedBody(transfer: TransferDetail): z.infer<typeof Transfer> {
  // The spread last: an object that begins with one has a hidden class of its own in V8.
  return { peers: transfer.peerCount, ...common(transfer) };
}

export function detailsBody(transfer: TransferDetail): z.infer<typeof TransferDetails> {
  return {
    ...common(transfer),
    peers: transfer.peers.map((peer) => ({
      id: peer.peerId,
      chunks_downloaded: peer.chunksDownloaded,
      speed: Math.round(peer.bytesPerSecond),
    })),
    output_path: transfer.outputPath ?? null,
  };
}

export function chunkMapBody({ chunkCount, states, sources, peers }: ChunkMap): z.infer<typeof ChunkMapBody> {
  const digits = states.map((state) => state + "0".charCodeAt(0));
  return {
    chunks: chunkCount,
    states: new TextDecoder().decode(digits),
    sources: base64pad.baseEncode(sources),
    peers,
  };
}
