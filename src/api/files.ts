/**
 * The files of the node and of its swarm: list, share a path, look up, delete. Called by app; calls
 * sharing/node. Uploads and bytes have files of their own.
 */
import { createRoute, z } from "@hono/zod-openapi";
import type { LocalFile } from "../sharing/catalog/catalog-entry.ts";
import { isSharingError } from "../sharing/errors.ts";
import { MAX_FOLDER_BYTES } from "../sharing/limits.ts";
import type { SharingNode } from "../sharing/sharing-node.ts";
import { folderNameOf } from "../spelling/folder-name.ts";
import {
  Bytes,
  Done,
  FileId,
  FileIdParam,
  fileIdInPath,
  PathText,
  Timestamp,
  UnlistedOnShare,
} from "./fields.ts";
import { readFolder } from "./folder-list.ts";
import { type ApiHono, jsonAnswer, jsonBody, KEY_REQUIRED, pageOf, Total } from "./hono-app.ts";
import type { NodePorts } from "./ports.ts";
import { BODY_REFUSALS, refusals } from "./refusals.ts";
import { filesMatching, findFiles, HitFields, hitBody, isSearch, RankedBy, SearchQuery } from "./search.ts";

export const File = z
  .object({
    id: FileId,
    name: z.string(),
    size: Bytes,
    chunks: z.int().min(1),
    created_at: Timestamp,
    complete: z
      .boolean()
      .openapi({ description: "false while it is downloaded, and where storage here has lost a part" }),
    unlisted: z.boolean().openapi({ description: "Peers are not told of it; one that knows its id gets it" }),
  })
  .openapi("File");

export const NetworkFile = z
  .object({
    id: FileId,
    name: z.string(),
    size: Bytes,
    peers: z
      .array(z.string())
      .openapi({ description: "Peers that hold the file or some of it, without this node" }),
    complete_peers: z.int().min(0).optional().openapi({
      description: "How many of these, the first, hold all of it; not told of what a search found",
    }),
  })
  .openapi("NetworkFile");

export const SharedFile = z
  .object({ file_id: FileId, name: z.string(), size: Bytes, chunks: z.int().min(1) })
  .openapi("SharedFile");

const ShareRequest = z.object({
  file_path: PathText.openapi({ description: "Absolute or relative, inside a share root" }),
  unlisted: UnlistedOnShare,
});

const FileChange = z.object({
  unlisted: z
    .boolean()
    .openapi({ description: "true: peers are told of it no more; who has its id gets it" }),
});

export type File = z.infer<typeof File>;
export type NetworkFile = z.infer<typeof NetworkFile>;
export type SharedFile = z.infer<typeof SharedFile>;

/** A file that was searched for tells how well it fits. */
const FoundFile = File.extend(HitFields.partial().shape).openapi("FoundFile");
const FoundNetworkFile = NetworkFile.extend(HitFields.partial().shape).openapi("FoundNetworkFile");

export type FoundFile = z.infer<typeof FoundFile>;
export type FoundNetworkFile = z.infer<typeof FoundNetworkFile>;

export function fileRoutes(app: ApiHono, { node, search }: NodePorts): void {
  const listRoute = createRoute({
    method: "get",
    path: "/api/v1/files",
    operationId: "listFiles",
    summary: "Local files, oldest first, or those that a search finds, best first",
    security: KEY_REQUIRED,
    request: { query: SearchQuery },
    responses: {
      ...jsonAnswer(
        z.object({ files: z.array(FoundFile), total: Total, ranked_by: RankedBy.optional() }),
        "The files",
      ),
      ...refusals(400, 404, 409),
    },
  });
  app.openapi(listRoute, async (c) => {
    const query = c.req.valid("query");
    if (isSearch(query)) {
      const found = await findFiles(search, query, "local", c.req.raw.signal);
      const here = new Map(node.files().map((file) => [file.id, file]));
      const files = found.hits.flatMap((hit) => {
        const file = here.get(hit.file.fileId);
        return file === undefined ? [] : [{ ...fileBody(file), ...hitBody(hit) }];
      });
      return c.json({ files, total: found.total, ranked_by: found.rankedBy }, 200);
    }
    const matching = await filesMatching(search, query, "local");
    const files = node.files().filter(({ id }) => matching?.has(id) ?? true);
    return c.json({ files: pageOf(files, query).map(fileBody), total: files.length }, 200);
  });

  const networkRoute = createRoute({
    method: "get",
    path: "/api/v1/files/network",
    operationId: "listNetworkFiles",
    summary: "Files that other peers announce, or those of them that a search finds, best first",
    security: KEY_REQUIRED,
    request: { query: SearchQuery },
    responses: {
      ...jsonAnswer(
        z.object({ files: z.array(FoundNetworkFile), total: Total, ranked_by: RankedBy.optional() }),
        "The files",
      ),
      ...refusals(400, 404, 409),
    },
  });
  app.openapi(networkRoute, async (c) => {
    const query = c.req.valid("query");
    if (isSearch(query)) {
      const found = await findFiles(search, query, "network", c.req.raw.signal);
      const files = found.hits.map((hit) => ({
        id: hit.file.fileId,
        name: hit.file.name,
        size: hit.file.sizeBytes,
        peers: [...hit.file.holders],
        ...hitBody(hit),
      }));
      return c.json({ files, total: found.total, ranked_by: found.rankedBy }, 200);
    }
    const matching = await filesMatching(search, query, "network");
    const offers = node.offers().filter(({ fileId }) => matching?.has(fileId) ?? true);
    const files = pageOf(offers, query).map((offer) => ({
      id: offer.fileId,
      name: offer.name,
      size: offer.sizeBytes,
      peers: [...offer.completeHolders, ...offer.partialHolders],
      complete_peers: offer.completeHolders.length,
    }));
    return c.json({ files, total: offers.length }, 200);
  });

  const shareRoute = createRoute({
    method: "post",
    path: "/api/v1/files/share",
    operationId: "shareFile",
    summary: "Share a file of the node's machine",
    security: KEY_REQUIRED,
    request: jsonBody(ShareRequest, { file_path: "movie.mp4" }),
    responses: {
      ...jsonAnswer(SharedFile, "Shared; also where the same bytes were shared before"),
      ...refusals(...BODY_REFUSALS, 404, 507),
    },
  });
  app.openapi(shareRoute, async (c) => {
    const { file_path, unlisted } = c.req.valid("json");
    const { file } = await node.sharePath(file_path, { isUnlisted: unlisted, signal: c.req.raw.signal });
    return c.json(sharedFileBody(file), 200);
  });

  const getRoute = createRoute({
    method: "get",
    path: "/api/v1/files/{file_id}",
    operationId: "getFile",
    summary: "One local file",
    security: KEY_REQUIRED,
    request: { params: FileIdParam },
    responses: { ...jsonAnswer(File, "The file"), ...refusals(404) },
  });
  app.openapi(getRoute, (c) => {
    const fileId = fileIdInPath(c.req.valid("param").file_id);
    return c.json(fileBody(node.file(fileId)), 200);
  });

  const changeRoute = createRoute({
    method: "patch",
    path: "/api/v1/files/{file_id}",
    operationId: "changeFile",
    summary: "List a file among what peers are told of, or list it no more",
    description: "With a folder's list those of its files that are here go along.",
    security: KEY_REQUIRED,
    request: { params: FileIdParam, ...jsonBody(FileChange, { unlisted: true }) },
    responses: { ...jsonAnswer(File, "The file"), ...refusals(...BODY_REFUSALS, 404, 409, 507) },
  });
  app.openapi(changeRoute, async (c) => {
    const fileId = fileIdInPath(c.req.valid("param").file_id);
    const { unlisted } = c.req.valid("json");
    const files = await filesInside(node, node.file(fileId), c.req.raw.signal);
    for (const { id } of files) {
      // Gone meanwhile, or lost but for its name.
      await node.setUnlisted(id, unlisted).catch((error: unknown) => {
        if (!isSharingError(error, "file_not_found", "wrong_state")) throw error;
      });
    }
    return c.json(fileBody(await node.setUnlisted(fileId, unlisted)), 200);
  });

  const deleteRoute = createRoute({
    method: "delete",
    path: "/api/v1/files/{file_id}",
    operationId: "deleteFile",
    summary: "Delete a file from local storage",
    security: KEY_REQUIRED,
    request: { params: FileIdParam },
    responses: {
      ...jsonAnswer(Done, "Deleted"),
      ...refusals(...BODY_REFUSALS, 404, 409, 507),
    },
  });
  app.openapi(deleteRoute, async (c) => {
    await node.deleteFile(fileIdInPath(c.req.valid("param").file_id));
    return c.json({ success: true as const, message: "File deleted successfully" }, 200);
  });
}

/** Those that are here of the files that a folder's list names; none for any other file. */
async function filesInside(node: SharingNode, list: LocalFile, signal: AbortSignal): Promise<LocalFile[]> {
  const isList = folderNameOf(list.name) !== undefined && list.sizeBytes <= MAX_FOLDER_BYTES && list.complete;
  if (!isList) return [];
  try {
    const { files } = await readFolder(node, list.id, signal);
    const inside = new Set(files.map(({ fileId }) => fileId));
    return node.files().filter(({ id }) => inside.has(id));
  } catch (error) {
    // Called as one, and none.
    if (isSharingError(error, "bad_request")) return [];
    throw error;
  }
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
    unlisted: file.isUnlisted,
  };
}
