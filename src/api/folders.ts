/**
 * Several files under one id, which is that of a list of them: make it, read one that is here, and download what it names.
 * Called by app; calls sharing/folders/folder, and the node.
 */
import { createRoute, z } from "@hono/zod-openapi";
import { type FolderFile, ofFile, safeFolderPath } from "../sharing/folders/folder.ts";
import { shareList } from "../sharing/folders/folder-sharing.ts";
import { FOLDER_STARTS_AT_ONCE, MAX_FOLDER_FILES } from "../sharing/limits.ts";
import { someAtATime } from "../sharing/some-at-a-time.ts";
import { FILE_ID } from "./examples.ts";
import {
  Bytes,
  FileId,
  FileIdInBody,
  FileIdParam,
  fileIdInPath,
  NameText,
  PathText,
  UnlistedOnShare,
} from "./fields.ts";
import { SharedFile, sharedFileBody } from "./files.ts";
import { keepFolder, readFolder, wholeFiles } from "./folder-list.ts";
import { type ApiHono, jsonAnswer, jsonBody, KEY_REQUIRED, Total } from "./hono-app.ts";
import type { NodePorts } from "./ports.ts";
import { BODY_REFUSALS, refusals } from "./refusals.ts";
import { DownloadOptions, Started, startedBody, transferRequest } from "./transfer-bodies.ts";

const FolderRequest = z
  .object({
    name: NameText.openapi({ description: "What the folder is called" }),
    files: z
      .array(
        z.object({
          path: PathText.openapi({
            description: "Place in the folder: names, made safe as those of files are, with slashes between",
          }),
          file_id: FileIdInBody,
        }),
      )
      .min(1)
      .max(MAX_FOLDER_FILES),
    unlisted: UnlistedOnShare,
  })
  .openapi("FolderRequest");

const SharePathRequest = z.object({
  folder_path: PathText.openapi({
    description: "Absolute or relative, inside a share root. Hidden files and links in it are left out",
  }),
  unlisted: UnlistedOnShare,
});

const Folder = z
  .object({
    name: z.string(),
    size: Bytes.openapi({ description: "Bytes of all its files" }),
    files: z.array(z.object({ path: z.string(), file_id: FileId, size: Bytes })),
  })
  .openapi("Folder");

const FolderDownload = DownloadOptions.extend({
  name: NameText.optional().openapi({ description: "The folder's name where nobody announces one" }),
  output_path: PathText.optional().openapi({
    description: "The folder to copy the files to; none: they stay in the store",
  }),
  missing_only: z.boolean().optional().openapi({
    description:
      "true: files of which all is in the store already are left out, and not copied to `output_path` either",
    default: false,
  }),
}).openapi("FolderDownload");

const StartedFile = Started.extend({ path: z.string() });

export type FolderRequest = z.input<typeof FolderRequest>;
export type FolderDownload = z.input<typeof FolderDownload>;
export type Folder = z.infer<typeof Folder>;
export type StartedFile = z.infer<typeof StartedFile>;

export function folderRoutes(app: ApiHono, { node }: NodePorts): void {
  const shareRoute = createRoute({
    method: "post",
    path: "/api/v1/folders",
    operationId: "makeFolder",
    summary: "Share files that are here under one id",
    security: KEY_REQUIRED,
    request: jsonBody(FolderRequest, {
      name: "Minutes",
      files: [{ path: "2024/march.txt", file_id: FILE_ID }],
    }),
    responses: {
      ...jsonAnswer(SharedFile, "The list of the files, shared as a file: its id is the folder's"),
      ...refusals(...BODY_REFUSALS, 404, 507),
    },
  });
  app.openapi(shareRoute, async (c) => {
    const { name, files, unlisted } = c.req.valid("json");
    const here = files.map(({ path, file_id }) => ({ path: safeFolderPath(path), file: node.file(file_id) }));
    const listed = here.map(({ path, file }) => ({ path, fileId: file.id, sizeBytes: file.sizeBytes }));
    // The list names them: it would tell of those that nobody is told of.
    const isAnyUnlisted = here.some(({ file }) => file.isUnlisted);
    const isUnlisted = unlisted ?? (isAnyUnlisted || undefined);
    const options = { isUnlisted, signal: c.req.raw.signal };
    const { file } = await shareList(name, listed, node.share, options);
    return c.json(sharedFileBody(file), 200);
  });

  const sharePathRoute = createRoute({
    method: "post",
    path: "/api/v1/folders/share",
    operationId: "shareFolder",
    summary: "Share a folder of the node's machine: its files, and those in folders beneath it, under one id",
    security: KEY_REQUIRED,
    request: jsonBody(SharePathRequest, { folder_path: "photos" }),
    responses: {
      ...jsonAnswer(SharedFile, "The list of the files, shared as a file: its id is the folder's"),
      ...refusals(...BODY_REFUSALS, 404, 507),
    },
  });
  app.openapi(sharePathRoute, async (c) => {
    const { folder_path, unlisted } = c.req.valid("json");
    const options = { isUnlisted: unlisted, signal: c.req.raw.signal };
    const { file } = await node.shareFolder(folder_path, options);
    return c.json(sharedFileBody(file), 200);
  });

  const getRoute = createRoute({
    method: "get",
    path: "/api/v1/folders/{file_id}",
    operationId: "getFolder",
    summary: "The files of a folder whose list is here, on its way, or held by others",
    description: "A list that others hold is read from one of them, and not kept.",
    security: KEY_REQUIRED,
    request: { params: FileIdParam },
    responses: { ...jsonAnswer(Folder, "The folder"), ...refusals(400, 404, 503) },
  });
  app.openapi(getRoute, async (c) => {
    const { name, files } = await readFolder(
      node,
      fileIdInPath(c.req.valid("param").file_id),
      c.req.raw.signal,
    );
    const size = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    const listed = files.map(({ path, fileId, sizeBytes }) => ({ path, file_id: fileId, size: sizeBytes }));
    return c.json({ name, size, files: listed }, 200);
  });

  const downloadRoute = createRoute({
    method: "post",
    path: "/api/v1/folders/{file_id}/download",
    operationId: "downloadFolder",
    summary: "Download the files of a folder whose list is here, on its way, or held by others",
    description:
      "Each file is a transfer of its own, and so is a list that is not here, which comes first and stays. Those that run " +
      "already go on, and what they have brought to its place stays. A file that can't be started ends the request; those that " +
      "were started run.",
    security: KEY_REQUIRED,
    request: { params: FileIdParam, ...jsonBody(FolderDownload, { output_path: "photos" }) },
    responses: {
      ...jsonAnswer(
        z.object({ transfers: z.array(StartedFile), total: Total }),
        "Started, under way or done already, by the folder's paths",
      ),
      ...refusals(...BODY_REFUSALS, 404, 409, 503, 507),
    },
  });
  app.openapi(downloadRoute, async (c) => {
    const { output_path, name, missing_only, ...options } = c.req.valid("json");
    const listId = fileIdInPath(c.req.valid("param").file_id);
    const kept = { name, isUnlisted: options.unlisted };
    const { files } = await keepFolder(node, listId, kept, c.req.raw.signal);
    const here = missing_only === true ? wholeFiles(node) : new Set<string>();
    const wanted = files.filter(({ fileId }) => !here.has(fileId));
    const start = async ({ path, fileId, sizeBytes }: FolderFile) => {
      const output = outputIn(output_path, path);
      const request = transferRequest(fileId, path.split("/").at(-1), { ...options, ...output });
      const transfer = await ofFile(path, () =>
        node.download({ ...request, keepBrought: true, partOf: listId, saidBytes: sizeBytes }),
      );
      return { path, ...startedBody(transfer) };
    };
    const transfers = await node.downloadTogether(listId, () =>
      someAtATime(wanted, FOLDER_STARTS_AT_ONCE, start),
    );
    return c.json({ transfers, total: transfers.length }, 200);
  });
}

/** Where a folder's file goes: its place beneath the folder's. */
function outputIn(folder: string | undefined, path: string): { output_path?: string } {
  return folder === undefined ? {} : { output_path: `${folder.replace(/\/+$/, "")}/${path}` };
}
