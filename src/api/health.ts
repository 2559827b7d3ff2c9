/**
 * GET /health: open to all, in the shape of the index API. While the index is loading it is a refusal of that shape, which
 * tells as much as the answer does. Called by app.
 */
import { createRoute, z } from "@hono/zod-openapi";
import { type ApiHono, jsonAnswer, VxError, vxRefusals } from "./hono-app.ts";
import type { ApiPorts } from "./ports.ts";
import { loadingRefusal } from "./vx/while-loading.ts";

const Health = z
  .object({
    status: z.literal("ok"),
    version: z.string(),
    uptime: z.int().min(0).openapi({ description: "Seconds" }),
  })
  .openapi("Health");

export type Health = z.infer<typeof Health>;

const Loading = Health.extend({ status: z.literal("loading"), ...VxError.shape }).openapi("Loading");

export function healthRoutes(app: ApiHono, { clock, version, vx }: ApiPorts): void {
  const startedMs = clock.monotonic();
  const route = createRoute({
    method: "get",
    path: "/health",
    summary: "Whether all requests are served",
    security: [],
    responses: {
      ...vxRefusals(),
      ...jsonAnswer(Health, "All requests are served"),
      503: {
        description: "The index is loading, the node's requests are served; see Retry-After",
        content: { "application/json": { schema: Loading } },
      },
    },
  });
  app.openapi(route, (c) => {
    const uptime = Math.floor((clock.monotonic() - startedMs) / 1000);
    if (vx?.isLoading?.() !== true) return c.json({ status: "ok" as const, version, uptime }, 200);
    const { message, headers } = loadingRefusal();
    const error = { code: "unavailable", message };
    return c.json({ status: "loading" as const, version, uptime, error }, 503, headers);
  });
}
