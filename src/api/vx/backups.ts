/**
 * Backups: make, restore, and what the page needs: list, download, upload, delete. Called by routes. Every path stays inside the
 * folder of backups, which the host guards (BackupFolder).
 */
import { createRoute, z } from "@hono/zod-openapi";
import { VxError } from "../../vx/errors.ts";
import { ATTACHMENT } from "../answer-headers.ts";
import { bodyStream } from "../body-stream.ts";
import { contentDisposition } from "../content-disposition.ts";
import { ApiError } from "../errors.ts";
import { Bytes, PathText, Timestamp } from "../fields.ts";
import { jsonAnswer, KEY_REQUIRED } from "../hono-app.ts";
import { BODY_REFUSALS, vxRefusals } from "../refusals.ts";
import { bodyPieces } from "../request-body.ts";
import { postJson, type VxApp } from "./json-route.ts";
import { MAX_BACKUP_BYTES, MAX_BACKUP_NAME_CHARS } from "./limits.ts";
import type { BackupFile, ListedBackup as BackupOfFolder, VxPorts } from "./ports.ts";

const BackupPath = PathText.openapi({
  description: "Inside the folder of backups; relative paths begin there",
});

const MadeAt = Timestamp.openapi({ description: "When the backup was made: ISO 8601, UTC" });

const Backup = z
  .object({
    success: z.literal(true),
    path: z.string(),
    size_bytes: Bytes,
    timestamp: MadeAt,
    incremental: z.boolean().openapi({ description: "false also where there was nothing to go on from" }),
  })
  .openapi("Backup");

const Restored = z
  .object({ success: z.literal(true), vector_count: z.int().min(0), timestamp: MadeAt })
  .openapi("RestoredBackup");

const BackupEntry = z
  .object({ name: z.string(), path: z.string(), size_bytes: Bytes, timestamp: MadeAt })
  .openapi("BackupEntry");

const ListedBackup = BackupEntry.extend({
  timestamp: Timestamp.openapi({
    description: "When the backup was made, of an unreadable one when its file was written: ISO 8601, UTC",
  }),
  kind: z.enum(["full", "incremental", "unreadable"]).openapi({
    description:
      "unreadable: no backup, a damaged one, one of a later version, or a file that its disk does not give",
  }),
  base: z.string().nullable().openapi({
    description:
      "Name of the backup that an incremental one goes on from; null for others, and where that one is missing: this one can't be restored then",
  }),
}).openapi("ListedBackup");

const Deleted = z.object({ success: z.literal(true), name: z.string() }).openapi("DeletedBackup");

export type Backup = z.infer<typeof Backup>;
export type Restored = z.infer<typeof Restored>;
export type BackupEntry = z.infer<typeof BackupEntry>;
export type ListedBackup = z.infer<typeof ListedBackup>;

const NewNameParam = z.object({
  name: z
    .string()
    .max(MAX_BACKUP_NAME_CHARS)
    .regex(/^[\w-][\w.-]*\.zip$/, "must be letters, digits, - and _, with .zip at the end"),
});

/** Of an archive that is there: who made it gave it any name. */
const NameParam = z.object({
  name: z
    .string()
    .max(MAX_BACKUP_NAME_CHARS)
    .regex(/^[^./\\][^/\\]*$/, "must be the name of a file that is not hidden"),
});

const archiveBody = { "application/zip": { schema: { type: "string", format: "binary" } } } as const;

export function backupRoutes(app: VxApp, { index, backups }: VxPorts): void {
  /** One after another: a backup whose base is deleted meanwhile would be made anew, in full. */
  let last: Promise<unknown> = Promise.resolve();
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  }

  postJson(
    app,
    {
      path: "/admin/backup",
      operationId: "createBackup",
      summary: "Write an archive of the index",
      body: z.object({
        path: BackupPath.optional(),
        incremental: z.boolean().default(false).openapi({
          description: "Only what changed since the newest one in its folder, where that is known",
        }),
        compress: z.boolean().optional().openapi({ description: "Default: as scheduled ones are" }),
      }),
      example: { path: "monday.zip" },
      shape: "value",
      answer: Backup,
      answered: "Written; restore takes the path",
      refusals: ["conflict", "capacity_exceeded", "storage_full"],
    },
    async ({ path, incremental, compress }) => {
      const place = path === undefined ? undefined : await backups.placeFor(path);
      const made = await inTurn(() => index.backup(place, incremental, compress));
      return {
        success: true,
        path: made.path,
        size_bytes: made.sizeBytes,
        timestamp: made.timestamp.toISOString(),
        incremental: made.incremental,
      };
    },
  );

  postJson(
    app,
    {
      path: "/admin/restore",
      operationId: "restoreBackup",
      summary: "Make the index what an archive holds",
      body: z.object({ path: BackupPath }),
      example: { path: "monday.zip" },
      shape: "value",
      answer: Restored,
      answered: "Restored; until then, and where it fails, the index is what it was",
      refusals: [
        "encryption_key_invalid",
        "dimension_mismatch",
        "backup_not_found",
        "capacity_exceeded",
        "backup_corrupt",
        "storage_full",
      ],
    },
    async ({ path }) => {
      const { vectorCount, timestamp } = await index.restore(await backups.find(path));
      return { success: true, vector_count: vectorCount, timestamp: timestamp.toISOString() };
    },
  );

  const { hono } = app;
  const listRoute = createRoute({
    method: "get",
    path: "/admin/backups",
    operationId: "listBackups",
    summary: "Archives in the folder of backups, newest first",
    security: KEY_REQUIRED,
    responses: {
      ...jsonAnswer(z.object({ backups: z.array(ListedBackup) }), "The archives"),
      ...vxRefusals(401, 503),
    },
  });
  hono.openapi(listRoute, async (c) => {
    const listed = await backups.list();
    const bodies = listed.sort(newestFirst).map((entry) => ({
      ...entryBody(entry, timeOf(entry)),
      kind: entry.kind,
      base: entry.base ?? null,
    }));
    return c.json({ backups: bodies }, 200);
  });

  const downloadRoute = createRoute({
    method: "get",
    path: "/admin/backups/{name}",
    operationId: "downloadBackup",
    summary: "The bytes of an archive",
    security: KEY_REQUIRED,
    request: { params: NameParam },
    responses: {
      200: { description: "The archive", content: archiveBody, headers: ATTACHMENT },
      ...vxRefusals(400, 401, "backup_not_found", 503),
    },
  });
  hono.openapi(downloadRoute, async (c) => {
    const archive = await backups.open(c.req.valid("param").name);
    const headers = {
      "Content-Type": "application/zip",
      "Content-Length": String(archive.sizeBytes),
      "Content-Disposition": contentDisposition("attachment", archive.name),
    };
    const { method, signal } = c.req.raw;
    return new Response(method === "HEAD" ? null : bodyStream(archive.read, signal), { headers });
  });

  const uploadRoute = createRoute({
    method: "put",
    path: "/admin/backups/{name}",
    operationId: "uploadBackup",
    summary: "Keep an archive in the folder of backups, for a restore",
    security: KEY_REQUIRED,
    request: {
      params: NewNameParam,
      body: {
        required: true,
        content: { ...archiveBody, "application/octet-stream": archiveBody["application/zip"] },
      },
    },
    responses: {
      201: { description: "Kept", content: { "application/json": { schema: BackupEntry } } },
      ...vxRefusals(401, ...BODY_REFUSALS, "conflict", "backup_corrupt", 503, "storage_full"),
    },
  });
  hono.openapi(uploadRoute, async (c) => {
    const { headers, body } = c.req.raw;
    if (!/^application\/(zip|octet-stream)\s*(;|$)/i.test(headers.get("content-type") ?? "")) {
      throw new ApiError(415, "The body must be application/zip");
    }
    if (body === null) throw new VxError("invalid_request", "The body is empty");
    const stored = await backups.store(c.req.valid("param").name, boundedBytes(body));
    return c.json(entryBody(stored, stored.madeAt), 201);
  });

  const deleteRoute = createRoute({
    method: "delete",
    path: "/admin/backups/{name}",
    operationId: "deleteBackup",
    summary: "Delete an archive that no other goes on from",
    security: KEY_REQUIRED,
    request: { params: NameParam },
    responses: {
      ...jsonAnswer(Deleted, "Deleted"),
      ...vxRefusals(401, ...BODY_REFUSALS, "backup_not_found", "conflict", 503),
    },
  });
  hono.openapi(deleteRoute, async (c) => {
    const { name } = c.req.valid("param");
    await inTurn(() => backups.delete(name));
    return c.json({ success: true as const, name }, 200);
  });
}

function entryBody({ name, path, sizeBytes }: BackupFile, madeAt: Date): BackupEntry {
  return { name, path, size_bytes: sizeBytes, timestamp: madeAt.toISOString() };
}

function timeOf({ madeAt, writtenAt }: BackupOfFolder): Date {
  return madeAt ?? writtenAt;
}

function newestFirst(a: BackupOfFolder, b: BackupOfFolder): number {
  return timeOf(b).getTime() - timeOf(a).getTime() || (a.name < b.name ? 1 : -1);
}

async function* boundedBytes(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const piece of bodyPieces(body)) {
    length += piece.length;
    if (length > MAX_BACKUP_BYTES) throw new ApiError(413, `A backup may have ${MAX_BACKUP_BYTES} bytes`);
    yield piece;
  }
}
