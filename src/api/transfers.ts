/**
 * Transfers: start, list, look at, pause, resume, cancel. Called by app; calls sharing/node.
 */
import { createRoute, z } from "@hono/zod-openapi";
import { ACTIVE_STATUSES, type TransferStatus } from "../sharing/transfers/transfer-record.ts";
import { FILE_ID } from "./examples.ts";
import { Done, FileIdParam, fileIdInPath, nameList, queryInteger, TransferIdParam } from "./fields.ts";
import { type ApiHono, jsonAnswer, jsonBody, KEY_REQUIRED, ListQuery, pageOf, Total } from "./hono-app.ts";
import { MAX_CHUNK_SAMPLE } from "./limits.ts";
import type { NodePorts } from "./ports.ts";
import { BODY_REFUSALS, refusals } from "./refusals.ts";
import {
  ALL_STATUSES,
  ChunkMapBody,
  chunkMapBody,
  DownloadRequest,
  detailsBody,
  listedBody,
  Resumed,
  Started,
  startedBody,
  Transfer,
  TransferDetails,
  transferRequest,
} from "./transfer-bodies.ts";

const ChunkMapQuery = z.object({
  sample: queryInteger(1, MAX_CHUNK_SAMPLE)
    .optional()
    .openapi({ description: "Most entries: chunks evenly spread over the file; default: every chunk" }),
});

const StatusQuery = ListQuery.extend({
  all: z.enum(["true", "false"]).optional().openapi({ description: "true: ended transfers too" }),
  status: nameList(ALL_STATUSES, "Only these statuses, with commas between").optional(),
});

export function transferRoutes(app: ApiHono, { node }: NodePorts): void {
  const listRoute = createRoute({
    method: "get",
    path: "/api/v1/transfers",
    operationId: "listTransfers",
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
    return c.json({ transfers: pageOf(transfers, query).map(listedBody), total: transfers.length }, 200);
  });

  const downloadRoute = createRoute({
    method: "post",
    path: "/api/v1/transfers/download",
    operationId: "downloadFile",
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
    operationId: "getTransfer",
    summary: "One transfer; an ended one for 24 h",
    security: KEY_REQUIRED,
    request: { params: TransferIdParam },
    responses: { ...jsonAnswer(TransferDetails, "The transfer"), ...refusals(404) },
  });
  app.openapi(getRoute, (c) => c.json(detailsBody(node.transfer(c.req.valid("param").transfer_id)), 200));

  const chunksRoute = createRoute({
    method: "get",
    path: "/api/v1/transfers/{transfer_id}/chunks",
    operationId: "getTransferChunks",
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
    operationId: "resumeTransfer",
    summary:
      "Go on with a file's newest interrupted transfer, else one that runs or failed, else a cancelled one",
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
    operationId: "pauseTransfer",
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
    operationId: "cancelTransfer",
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
