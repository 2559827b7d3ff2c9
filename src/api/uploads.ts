/**
 * POST /api/v1/files: shares bytes that the request carries, raw or as the file of a form, for clients without
 * a disk in common with the node. Called by app; streams into sharing/node and holds nothing.
 */
import { createRoute, z } from "@hono/zod-openapi";
import { LOCATION } from "./answer-headers.ts";
import { dispositionParameter, lastStep } from "./content-disposition.ts";
import { ApiError } from "./errors.ts";
import { NameText, requestHeader } from "./fields.ts";
import { SharedFile, sharedFileBody } from "./files.ts";
import { type ApiHono, KEY_REQUIRED } from "./hono-app.ts";
import { piecesInTurns } from "./in-turns.ts";
import { meantName, refuseMistyped } from "./meant-names.ts";
import { type FormFile, formBoundary, openFormFile } from "./multipart.ts";
import type { NodePorts } from "./ports.ts";
import { refusals } from "./refusals.ts";
import { bodyPieces } from "./request-body.ts";

const UploadQuery = z.object({
  name: NameText.optional().openapi({
    description: "Name of the file; bytes sent as application/json must have one",
  }),
  unlisted: z
    .enum(["true", "false"])
    .optional()
    .openapi({ description: "true: peers are not told of it, and one that knows its id gets it" }),
});

export function uploadRoutes(app: ApiHono, { node }: NodePorts): void {
  const answered = { content: { "application/json": { schema: SharedFile } }, headers: LOCATION };
  const route = createRoute({
    method: "post",
    path: "/api/v1/files",
    operationId: "uploadFile",
    summary: "Share the bytes of this request, raw or as multipart/form-data",
    security: KEY_REQUIRED,
    request: {
      query: UploadQuery,
      headers: z.object({
        "Content-Disposition": requestHeader("Its `filename` names bytes that are sent raw without `name`"),
      }),
      body: {
        required: true,
        content: {
          "application/octet-stream": { schema: { type: "string", format: "binary" } },
          "multipart/form-data": {
            schema: {
              type: "object",
              properties: { name: { type: "string" }, file: { type: "string", format: "binary" } },
              required: ["file"],
            },
          },
        },
      },
    },
    responses: {
      201: { description: "Shared", ...answered },
      200: { description: "The same bytes were shared before", ...answered },
      ...refusals(400, 415, 507),
    },
  });
  app.openapi(route, async (c) => {
    refuseMistyped(Object.keys(c.req.query()), Object.keys(UploadQuery.shape));
    const upload = await openUpload(c.req.raw);
    const query = c.req.valid("query");
    const name = () => checkedName(query.name ?? upload.name());
    // A name that is known by now is refused before the bytes are taken.
    if (name() === undefined) refuseNamelessJson(c.req.header("content-type") ?? "");
    const isUnlisted = query.unlisted === undefined ? undefined : query.unlisted === "true";
    const { file, before } = await node.share(upload.bytes, { name, isUnlisted, signal: c.req.raw.signal });
    c.header("Location", `/api/v1/files/${file.id}`);
    return c.json(sharedFileBody(file), before ? 200 : 201);
  });
}

/** @throws ApiError 415, SharingError `bad_request` */
async function openUpload(request: Request): Promise<FormFile> {
  const contentType = request.headers.get("content-type") ?? "";
  const bytes = piecesInTurns(bodyPieces(request.body));
  if (/^application\/x-www-form-urlencoded/i.test(contentType)) {
    throw new ApiError(
      415,
      "Send the bytes as application/octet-stream, or as the file of a multipart/form-data",
    );
  }
  if (!/^multipart\//i.test(contentType)) {
    const disposition = request.headers.get("content-disposition") ?? "";
    return { name: () => dispositionParameter(disposition, "filename"), bytes };
  }
  const boundary = formBoundary(contentType);
  if (boundary === undefined) throw new ApiError(415, "Only multipart/form-data with a boundary is taken");
  return await openFormFile(bytes, boundary, refuseFieldOfQuery);
}

/** Behind the file it would come too late to be told of to nobody. @throws ApiError 400 */
function refuseFieldOfQuery(field: string): void {
  if (meantName(field, ["unlisted"]) === undefined) return;
  throw new ApiError(
    400,
    `${field}: is not taken as a field of a form, but as ?unlisted=true behind the path`,
  );
}

/** Most likely what another route takes, which would be told to all peers as a file. @throws ApiError 400 */
function refuseNamelessJson(contentType: string): void {
  if (!/^application\/json\s*(?:;|$)/i.test(contentType)) return;
  throw new ApiError(
    400,
    'JSON is taken as the bytes of a file where ?name= says what that is called; {"file_path": ...} goes to /api/v1/files/share',
  );
}

/** The last step of the name given, if there is one; a client may send a whole path. @throws ApiError 400 */
function checkedName(name: string | undefined): string | undefined {
  const checked = NameText.optional().safeParse(lastStep(name ?? ""));
  if (!checked.success) throw new ApiError(400, "The file name is too long or has control characters");
  return checked.data;
}
