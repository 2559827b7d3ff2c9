/**
 * The bytes of a file: GET and HEAD /api/v1/files/{file_id}/content, with ranges and validators, also while the
 * file is still downloading. Called by app, and by tickets for readers that can't send a key. What strangers
 * shared never runs on this origin: sandbox, nosniff, and attachment unless the type is known to be safe.
 */
import { createRoute, z } from "@hono/zod-openapi";
import type { LocalFile } from "../sharing/catalog/catalog-entry.ts";
import type { SharingNode } from "../sharing/sharing-node.ts";
import { CONTENT_HEADERS, RANGE_HEADERS, UNCHANGED_HEADERS } from "./answer-headers.ts";
import { bodyStream } from "./body-stream.ts";
import { type ByteRange, parseByteRange } from "./byte-range.ts";
import { contentDisposition } from "./content-disposition.ts";
import { ApiError, type RefusalStatus } from "./errors.ts";
import { FileIdParam, fileIdInPath, requestHeader } from "./fields.ts";
import { folderArchive } from "./folder-archive.ts";
import { type ApiHono, KEY_REQUIRED } from "./hono-app.ts";
import { safeMediaType } from "./media-type.ts";
import type { NodePorts } from "./ports.ts";
import { refusals } from "./refusals.ts";

export const ContentQuery = z.object({
  download: z.enum(["true", "false"]).optional().openapi({ description: "true: always an attachment" }),
  as: z
    .enum(["zip"])
    .optional()
    .openapi({ description: "zip: the files of the folder that this is the list of, as one archive" }),
});

type ContentQuery = z.infer<typeof ContentQuery>;

export const IfNoneMatch = requestHeader("ETags of copies that the reader has; `*`: any");

export const ContentRequestHeaders = z.object({
  Range: requestHeader("`bytes=FIRST-LAST`, `bytes=FIRST-` or `bytes=-LENGTH`"),
  "If-Range": requestHeader("ETag: the range of these bytes, else all"),
  "If-Match": requestHeader("ETags, of these bytes or none"),
  "If-None-Match": IfNoneMatch,
});

/** Of the media type that the file's name stands for, where that is safe. */
const bytesBody = {
  "*/*": { schema: z.string().openapi({ type: "string", format: "binary" }) },
};

export const CONTENT_RESPONSES = {
  200: { description: "All bytes", content: bytesBody, headers: CONTENT_HEADERS },
  206: { description: "The range asked for", content: bytesBody, headers: RANGE_HEADERS },
  304: { description: "The reader's copy is the same", headers: UNCHANGED_HEADERS },
};

export const CONTENT_REFUSALS: RefusalStatus[] = [400, 404, 409, 412, 416, 503];

export function contentRoutes(app: ApiHono, { node }: NodePorts): void {
  const route = createRoute({
    method: "get",
    path: "/api/v1/files/{file_id}/content",
    operationId: "getFileContent",
    summary: "Bytes of a file, or a range of them",
    security: KEY_REQUIRED,
    request: { params: FileIdParam, query: ContentQuery, headers: ContentRequestHeaders },
    responses: { ...CONTENT_RESPONSES, ...refusals(...CONTENT_REFUSALS) },
  });
  app.openapi(route, (c) => {
    const file = node.file(fileIdInPath(c.req.valid("param").file_id));
    return contentResponse(node, file, c.req.raw, c.req.valid("query"));
  });
}

/** What strangers shared must not run on this origin. */
const OF_STRANGERS = {
  "Content-Security-Policy": "default-src 'none'; sandbox",
  "Cross-Origin-Resource-Policy": "same-origin",
  // What the page saves begins in a frame of it, which Firefox refuses without.
  "Cross-Origin-Embedder-Policy": "require-corp",
};

/**
 * Whoever asks, by a key or by a ticket.
 * @throws ApiError 412, 416, SharingError `stopped` where not even the first byte is to be had now
 */
export async function contentResponse(
  node: SharingNode,
  file: LocalFile,
  request: Request,
  query: ContentQuery,
): Promise<Response> {
  if (query.as === "zip") return await archiveResponse(node, file, request);
  const etag = `"${file.id}"`;
  const caching = cachingHeaders(etag, "bytes");
  if (isCopySame(request, etag)) return new Response(null, { status: 304, headers: caching });
  const range = wantedRange(request, file.sizeBytes, etag);
  const { start, end } = range === "whole" ? { start: 0, end: file.sizeBytes } : range;
  const mediaType = safeMediaType(file.name);
  const isInline = mediaType !== undefined && query.download !== "true";
  const headers = {
    ...caching,
    ...OF_STRANGERS,
    "Content-Type": mediaType ?? "application/octet-stream",
    "Content-Disposition": contentDisposition(isInline ? "inline" : "attachment", file.name),
    "Content-Length": String(end - start),
    ...(range !== "whole" && { "Content-Range": `bytes ${start}-${end - 1}/${file.sizeBytes}` }),
  };
  const status = range === "whole" ? 200 : 206;
  if (request.method === "HEAD") return new Response(null, { status, headers });
  if (start < end) await node.expectByte(file.id, start, request.signal);
  const body = bodyStream((signal) => node.read(file.id, { start, end }, signal), request.signal);
  return new Response(body, { status, headers });
}

/** Its bytes are made anew each time, so they have no ranges. */
async function archiveResponse(node: SharingNode, list: LocalFile, request: Request): Promise<Response> {
  const etag = `"${list.id}.zip"`;
  const caching = cachingHeaders(etag, "none");
  if (isCopySame(request, etag)) return new Response(null, { status: 304, headers: caching });
  const { headers, open } = await folderArchive(node, list, request.signal);
  const body = request.method === "HEAD" ? null : open();
  return new Response(body, { headers: { ...caching, ...headers, ...OF_STRANGERS } });
}

function cachingHeaders(etag: string, ranges: "bytes" | "none") {
  return { ETag: etag, "Cache-Control": "private, no-cache", "Accept-Ranges": ranges };
}

/** Whether the reader has these bytes already. Order of the conditions: RFC 9110, section 13.2.2. @throws ApiError 412 */
function isCopySame(request: Request, etag: string): boolean {
  refuseUnlessMatched(request, etag);
  return namesEtag(request.headers.get("if-none-match"), etag);
}

/** Strong comparison, as If-Match asks for. @throws ApiError 412 */
function refuseUnlessMatched(request: Request, etag: string): void {
  const header = request.headers.get("if-match");
  if (header === null) return;
  const named = entriesOf(header);
  if (named.includes("*") || named.includes(etag)) return;
  throw new ApiError(412, `If-Match names other bytes: these are ${etag}`);
}

/** A Range counts only for GET, and only if the reader's `If-Range` names the bytes that are here. */
function wantedRange(request: Request, sizeBytes: number, etag: string): ByteRange | "whole" {
  const ifRange = request.headers.get("if-range");
  if (request.method !== "GET" || (ifRange !== null && ifRange !== etag)) return "whole";
  const range = parseByteRange(request.headers.get("range"), sizeBytes);
  if (range !== "outside") return range;
  throw new ApiError(416, "Range lies outside the file", { "Content-Range": `bytes */${sizeBytes}` });
}

/** Weak comparison, as If-None-Match asks for. */
export function namesEtag(header: string | null, etag: string): boolean {
  if (header === null) return false;
  const named = entriesOf(header).map((entry) => entry.replace(/^W\//, ""));
  return named.includes("*") || named.includes(etag);
}

function entriesOf(header: string): string[] {
  return header.split(",").map((entry) => entry.trim());
}
