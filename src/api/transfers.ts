/**
 * Transfers: start, list, look at, pause, resume, cancel. Called by app; calls sharing/node.
 */
import { createRoute, z } from "@hono/zod-openapi";
import { base64pad } from "multiformats/bases/base64";
import { DEFAULT_MAX_PEERS } from "../sharing/limits.ts";
import type { ChunkMap } from "../sharing/transfers/chunk-map.ts";
import {
  ACTIVE_STATUSES,
  type TransferDetail,
  type TransferStatus,
} from "../sharing/transfers/transfer-record.ts";
import type { TransferRequest } from "../sharing/transfers/transfer-request.ts";
import { FILE_ID } from "./examples.ts";
import {
  Bytes,
  BytesPerSecond,
  Done,
  FileId,
  FileIdInBody,
  FileIdParam,
  Fraction,
  fileIdInPath,
  NameText,
  nameList,
  PathText,
  queryInteger,
  Timestamp,
  TransferIdParam,
} from "./fields.ts";
import { type ApiHono, jsonAnswer, jsonBody, KEY_REQUIRED, ListQuery, pageOf, Total } from "./hono-app.ts";
import { MAX_CHUNK_SAMPLE, MAX_PEERS_A_DOWNLOAD } from "./limits.ts";
import type { NodePorts } from "./ports.ts";
import { BODY_REFUSALS, refusals } from "./refusals.ts";

const ALL_STATUSES = [
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

const Transfer = z.object({ ...listed, peers: z.int().min(0) }).openapi("Transfer");

const TransferDetails = z
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

const DownloadRequest = DownloadOptions.extend({
  file_id: FileIdInBody,
  name: NameText.optional().openapi({ description: "The file's name where nobody announces one" }),
}).openapi("DownloadRequest");

const ChunkMapBody = z
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

const ChunkMapQuery = z.object({
  sample: queryInteger(1, MAX_CHUNK_SAMPLE)
    .optional()
    .openapi({ description: "Most entries: chunks evenly spread over the file; default: every chunk" }),
});

const StatusQuery = ListQuery.extend({
  all: z.enum(["true", "false"]).optional().openapi({ description: "true: ended transfers too" }),
  status: nameList(ALL_STATUSES, "Only these statuses, with commas between").optional(),
});

export const Started = z.object({ transfer_id: TransferId, file_id: FileId, status: Status });

const Resumed = Started.extend({ progress: Fraction });

export type Transfer = z.infer<typeof Transfer>;
export type TransferDetails = z.infer<typeof TransferDetails>;
export type DownloadRequest = z.input<typeof DownloadRequest>;
export type StartedTransfer = z.infer<typeof Started>;
export type ResumedTransfer = z.infer<typeof Resumed>;
export type ChunkMapBody = z.infer<typeof ChunkMapBody>;

export function transferRoutes(app: ApiHono, { node }: NodePorts): void {
  const listRoute = createRoute({
    method: "get",
    path: "/api/v1/transfers",
    summary: "Active transfers, newest first",
    security: KEY_REQUIRED,
    request: { query: StatusQuery },
    responses: {
      ...jsonAnswer(z.object({ transfers: z.array(Transfer), total: Total }), "The transfers"),
      ...refusals(400),
    },
  });
  app.openapi(listRoute, (c) => {
    const query = c.req.valid("query");
    const statuses: readonly TransferStatus[] =
      query.status ?? (query.all === "true" ? ALL_STATUSES : ACTIVE_STATUSES);
    const transfers = node.transfers().filter(({ status }) => statuses.includes(status));
    return c.json({ transfers: pageOf(transfers, query).map(listEntry), total: transfers.length }, 200);
  });

  const downloadRoute = createRoute({
    method: "post",
    path: "/api/v1/transfers/download",
    summary: "Download a file from its peers",
    security: KEY_REQUIRED,
    request: jsonBody(DownloadRequest, { file_id: FILE_ID, output_path: "hello.txt", multi_peer: true }),
    responses: {
      ...jsonAnswer(
        Started,
        "Started; or the one that brings the file to that place already, which goes on if it was interrupted",
      ),
      ...refusals(...BODY_REFUSALS, 409, 507),
    },
  });
  app.openapi(downloadRoute, async (c) => {
    const { file_id, name, ...options } = c.req.valid("json");
    const transfer = await node.download(transferRequest(file_id, name, options));
    return c.json(startedBody(transfer), 200);
  });

  const getRoute = createRoute({
    method: "get",
    path: "/api/v1/transfers/{transfer_id}",
    summary: "One transfer; an ended one for 24 h",
    security: KEY_REQUIRED,
    request: { params: TransferIdParam },
    responses: { ...jsonAnswer(TransferDetails, "The transfer"), ...refusals(404) },
  });
  app.openapi(getRoute, (c) => c.json(detail(node.transfer(c.req.valid("param").transfer_id)), 200));

  const chunksRoute = createRoute({
    method: "get",
    path: "/api/v1/transfers/{transfer_id}/chunks",
    summary: "Which chunk is where and who brought it, for drawing",
    security: KEY_REQUIRED,
    request: { params: TransferIdParam, query: ChunkMapQuery },
    responses: { ...jsonAnswer(ChunkMapBody, "Chunk by chunk"), ...refusals(400, 404) },
  });
  app.openapi(chunksRoute, (c) => {
    const map = node.chunkMap(c.req.valid("param").transfer_id, c.req.valid("query").sample);
    return c.json(chunkMapBody(map), 200);
  });

  const resumeRoute = createRoute({
    method: "post",
    path: "/api/v1/transfers/resume/{file_id}",
    summary: "Go on with the newest interrupted transfer of a file, else with the newest unfinished one",
    security: KEY_REQUIRED,
    request: { params: FileIdParam },
    responses: { ...jsonAnswer(Resumed, "Going on"), ...refusals(...BODY_REFUSALS, 404, 409, 507) },
  });
  app.openapi(resumeRoute, async (c) => {
    const transfer = await node.resume(fileIdInPath(c.req.valid("param").file_id));
    return c.json({ ...startedBody(transfer), progress: transfer.progress }, 200);
  });

  const pauseRoute = createRoute({
    method: "post",
    path: "/api/v1/transfers/{transfer_id}/pause",
    summary: "Stop fetching until resumed",
    security: KEY_REQUIRED,
    request: { params: TransferIdParam },
    responses: { ...jsonAnswer(Done, "Paused"), ...refusals(...BODY_REFUSALS, 404, 409) },
  });
  app.openapi(pauseRoute, async (c) => {
    await node.pause(c.req.valid("param").transfer_id);
    return c.json({ success: true as const, message: "Transfer paused" }, 200);
  });

  const cancelRoute = createRoute({
    method: "post",
    path: "/api/v1/transfers/{transfer_id}/cancel",
    summary: "Cancel an active transfer",
    security: KEY_REQUIRED,
    request: { params: TransferIdParam },
    responses: { ...jsonAnswer(Done, "Cancelled"), ...refusals(...BODY_REFUSALS, 404, 409) },
  });
  app.openapi(cancelRoute, async (c) => {
    await node.cancel(c.req.valid("param").transfer_id);
    return c.json({ success: true as const, message: "Transfer cancelled" }, 200);
  });
}

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

function listEntry(transfer: TransferDetail): z.infer<typeof Transfer> {
  return { ...common(transfer), peers: transfer.peerCount };
}

function detail(transfer: TransferDetail): z.infer<typeof TransferDetails> {
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

function chunkMapBody({ chunkCount, states, sources, peers }: ChunkMap): z.infer<typeof ChunkMapBody> {
  const digits = states.map((state) => state + "0".charCodeAt(0));
  return {
    chunks: chunkCount,
    states: new TextDecoder().decode(digits),
    sources: base64pad.baseEncode(sources),
    peers,
  };
}
