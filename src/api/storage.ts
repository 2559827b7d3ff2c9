/**
 * Where chunks are kept: how much there is, and whether the host may take it away. POST /api/v1/storage/persist asks it
 * not to, where it may. Called by app; calls sharing/node and the host's settings and storage.
 */
import { createRoute, z } from "@hono/zod-openapi";
import { Bytes } from "./fields.ts";
import { type ApiHono, jsonAnswer, KEY_REQUIRED } from "./hono-app.ts";
import type { NodePorts } from "./ports.ts";
import { BODY_REFUSALS, refusals } from "./refusals.ts";

const Storage = z
  .object({
    used: Bytes.openapi({ description: "Bytes of stored chunks" }),
    available: Bytes.openapi({ description: "Bytes that may still be stored" }),
    quota: Bytes.nullable().openapi({ description: "Most bytes of chunks to keep; null where none is set" }),
    persisted: z
      .boolean()
      .openapi({ description: "false: the host may take it all away when it needs room" }),
  })
  .openapi("Storage");

const Persisted = z.object({ persisted: z.boolean() }).openapi("Persisted");

export type Storage = z.infer<typeof Storage>;
export type Persisted = z.infer<typeof Persisted>;

export function storageRoutes(app: ApiHono, { node, settings, evictable }: NodePorts): void {
  const route = createRoute({
    method: "get",
    path: "/api/v1/storage",
    operationId: "getStorage",
    summary: "Room for chunks",
    security: KEY_REQUIRED,
    responses: { ...jsonAnswer(Storage, "The storage"), ...refusals() },
  });
  app.openapi(route, async (c) => {
    const [info, persisted] = await Promise.all([node.info(), evictable?.isPersisted() ?? true]);
    return c.json(
      {
        used: info.storageUsedBytes,
        available: info.storageAvailableBytes,
        quota: settings?.read().max_storage ?? null,
        persisted,
      },
      200,
    );
  });
  if (evictable === undefined) return;

  const persistRoute = createRoute({
    method: "post",
    path: "/api/v1/storage/persist",
    operationId: "persistStorage",
    summary: "Ask the host to take nothing away",
    security: KEY_REQUIRED,
    responses: { ...jsonAnswer(Persisted, "Whether the host agreed"), ...refusals(...BODY_REFUSALS) },
  });
  app.openapi(persistRoute, async (c) => c.json({ persisted: await evictable.persist() }, 200));
}
