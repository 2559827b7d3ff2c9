/** GET /health: open to all, in the shape of the index API. Called by app. */
import { createRoute, z } from "@hono/zod-openapi";
import { type ApiHono, jsonAnswer, vxRefusals } from "./hono-app.ts";
import type { ApiPorts } from "./ports.ts";

const Health = z
  .object({
    status: z.literal("ok"),
    version: z.string(),
    uptime: z.int().min(0).openapi({ description: "Seconds" }),
  })
  .openapi("Health");

export type Health = z.infer<typeof Health>;

export function healthRoutes(app: ApiHono, { clock, version }: ApiPorts): void {
  const startedMs = clock.monotonic();
  const route = createRoute({
    method: "get",
    path: "/health",
    summary: "Whether requests are served",
    security: [],
    responses: { ...jsonAnswer(Health, "Requests are served"), ...vxRefusals() },
  });
  app.openapi(route, (c) => {
    const uptime = Math.floor((clock.monotonic() - startedMs) / 1000);
    return c.json({ status: "ok" as const, version, uptime }, 200);
  });
}
