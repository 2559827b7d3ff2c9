/**
 * GET /health: open to all, in the shape of the index API. While the index is loading it is a refusal of that shape, which
 * tells as much as the answer does. Called by app.
 */
import { createRoute, z } from "@hono/zod-openapi";
import { type ApiHono, jsonAnswer } from "./hono-app.ts";
import type { ApiPorts } from "./ports.ts";
import { VxError, vxRefusals } from "./refusals.ts";
import { loadingRefusal } from "./vx/while-loading.ts";

const Health = z
  .object({
    status: z.literal("ok"),
    version: z.string(),
    uptime: z.int().min(0).openapi({ description: "Seconds" }),
  })
  .openapi("Health");

export type Health = z.infer<typeof Health>;

const Loading = Health.extend({ status: z.literal("loading"), ...VxError.shape });

export function healthRoutes(app: ApiHono, { clock, version, vx }: ApiPorts): void {
  const startedMs = clock.monotonic();
  const route = createRoute({
    method: "get",
    path: "/health",
    operationId: "getHealth",
    summary: "Whether requests are served",
    security: [],
    responses: {
      ...vxRefusals(),
      ...jsonAnswer(Health, "Requests are served"),
      503: {
        description: "The index is loading",
        content: { "application/json": { schema: Loading } },
      },
    },
  });
  app.openapi(route, (c) => {
    const about = { version, uptime: Math.floor((clock.monotonic() - startedMs) / 1000) };
    if (vx?.isLoading?.() !== true) return c.json({ status: "ok" as const, ...about }, 200);
    const { message, headers } = loadingRefusal();
    const error = { code: "unavailable", message };
    return c.json({ status: "loading" as const, ...about, error }, 503, headers);
  });
}
