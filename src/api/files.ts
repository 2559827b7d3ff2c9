/**
 * The files of the node and of its swarm: list, share a path, look up, delete. Called by app; calls
 * sharing/node. Uploads and bytes have files of their own.
 */
import { createRoute, z } from "@hono/zod-openapi";
import type { LocalFile } from "../sharing/catalog-entry.ts";
import { Bytes, FileId, FileIdParam, fileIdInPath, PathText, Timestamp } from "./fields.ts";
import {
  type ApiHono,
  BODY_REFUSALS,
  jsonAnswer,
  jsonBody,
  KEY_REQUIRED,
  ListQuery,
  pageOf,
  refusals,
  Total,
} from "./hono-app.ts";
import type { NodePorts } from "./ports.ts";

const File = z
  .object({
    id: FileId,
    name: z.string(),
    size: Bytes,
    chunks: z.int().min(1),
    created_at: Timestamp,
    complete: z
      .boolean()
      .openapi({ description: "false while it is downloaded, and where storage here has lost a part" }),
  })
  .openapi("File");

const NetworkFile = z
  .object({
    id: FileId,
    name: z.string(),
    size: Bytes,
    peers: z
      .array(z.string())
      .openapi({ description: "Peers that hold the file or some of it, without this node" }),
  })
  .openapi("NetworkFile");

export const SharedFile = z
  .object({ file_id: FileId, name: z.string(), size: Bytes, chunks: z.int().min(1) })
  .openapi("SharedFile");

const ShareRequest = z.object({
  file_path: PathText.openapi({ description: "Absolute or relative, inside a share root" }),
});

export type File = z.infer<typeof File>;
export type NetworkFile = z.infer<typeof NetworkFile>;
export type SharedFile = z.infer<typeof SharedFile>;

export function fileRoutes(app: ApiHono, { node }: NodePorts): void {
  const listRoute = createRoute({
    method: "get",
    path: "/api/v1/files",
    summary: "Local files, oldest first",
    security: KEY_REQUIRED,
    request: { query: ListQuery },
    responses: {
      ...jsonAnswer(z.object({ files: z.array(File), total: Total }), "The files"),
      ...refusals(400),
    },
  });
  app.openapi(listRoute, (c) => {
    const files = node.files();
    return c.json({ files: pageOf(files, c.req.valid("query")).map(fileBody), total: files.length }, 200);
  });

  const networkRoute = createRoute({
    method: "get",
    path: "/api/v1/files/network",
    summary: "Files that other peers announce",
    security: KEY_REQUIRED,
    request: { query: ListQuery },
    responses: {
      ...jsonAnswer(z.object({ files: z.array(NetworkFile), total: Total }), "The files"),
      ...refusals(400),
    },
  });
  app.openapi(networkRoute, (c) => {
    const offers = node.offers();
    const files = pageOf(offers, c.req.valid("query")).map((offer) => ({
      id: offer.fileId,
      name: offer.name,
      size: offer.sizeBytes,
      peers: [...offer.completeHolders, ...offer.partialHolders],
    }));
    return c.json({ files, total: offers.length }, 200);
  });

  const shareRoute = createRoute({
    method: "post",
    path: "/api/v1/files/share",
    summary: "Share a file of the node's machine",
    security: KEY_REQUIRED,
    request: jsonBody(ShareRequest),
    responses: {
      ...jsonAnswer(SharedFile, "Shared; also where the same bytes were shared before"),
      ...refusals(...BODY_REFUSALS, 404, 507),
    },
  });
  app.openapi(shareRoute, async (c) => {
    const { file } = await node.sharePath(c.req.valid("json").file_path, { signal: c.req.raw.signal });
    return c.json(sharedFileBody(file), 200);
  });

  const getRoute = createRoute({
    method: "get",
    path: "/api/v1/files/{file_id}",
    summary: "One local file",
    security: KEY_REQUIRED,
    request: { params: FileIdParam },
    responses: { ...jsonAnswer(File, "The file"), ...refusals(404) },
  });
  app.openapi(getRoute, (c) => {
    const fileId = fileIdInPath(c.req.valid("param").file_id);
    return c.json(fileBody(node.file(fileId)), 200);
  });

  const deleteRoute = createRoute({
    method: "delete",
    path: "/api/v1/files/{file_id}",
    summary: "Delete a file from local storage",
    security: KEY_REQUIRED,
    request: { params: FileIdParam },
    responses: {
      ...jsonAnswer(z.object({ success: z.literal(true), message: z.string() }), "Deleted"),
      ...refusals(404, 409),
    },
  });
  app.openapi(deleteRoute, async (c) => {
    await node.deleteFile(fileIdInPath(c.req.valid("param").file_id));
    return c.json({ success: true as const, message: "File deleted successfully" }, 200);
  });
}

export function sharedFileBody(file: LocalFile): z.infer<typeof SharedFile> {
  return { file_id: file.id, name: file.name, size: file.sizeBytes, chunks: file.chunkCount };
}

function fileBody(file: LocalFile): z.infer<typeof File> {
  return {
    id: file.id,
    name: file.name,
    size: file.sizeBytes,
    chunks: file.chunkCount,
    created_at: file.createdAt.toISOString(),
    complete: file.complete,
  };
}
