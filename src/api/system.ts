/** GET /api/v1/system/stats: measured load, storage and traffic. Called by app; calls sharing/node. */
import { createRoute, z } from "@hono/zod-openapi";
import { Bytes, BytesPerSecond, Fraction } from "./fields.ts";
import { type ApiHono, jsonAnswer, KEY_REQUIRED } from "./hono-app.ts";
import type { NodePorts } from "./ports.ts";
import { refusals } from "./refusals.ts";

const SystemStats = z
  .object({
    cpu_usage: Fraction.openapi({ description: "Busy fraction of this process, 0 to 1" }),
    memory_usage: Bytes,
    disk_usage: Bytes,
    network: z.object({
      upload_speed: BytesPerSecond,
      download_speed: BytesPerSecond,
      total_uploaded: Bytes.openapi({ description: "Bytes of payload since this node started" }),
      total_downloaded: Bytes.openapi({ description: "Bytes of payload since this node started" }),
    }),
  })
  .openapi("SystemStats");

export type SystemStats = z.infer<typeof SystemStats>;

export function systemRoutes(app: ApiHono, { node }: NodePorts): void {
  const route = createRoute({
    method: "get",
    path: "/api/v1/system/stats",
    operationId: "getSystemStats",
    summary: "Load, storage and traffic",
    security: KEY_REQUIRED,
    responses: { ...jsonAnswer(SystemStats, "Measured now"), ...refusals() },
  });
  app.openapi(route, async (c) => {
    const stats = await node.stats();
    return c.json(
      {
        cpu_usage: Math.min(1, Math.max(0, stats.cpuUsage)),
        memory_usage: stats.memoryBytes,
        disk_usage: stats.diskBytes,
        network: {
          upload_speed: Math.round(stats.uploadBytesPerSecond),
          download_speed: Math.round(stats.downloadBytesPerSecond),
          total_uploaded: stats.uploadedBytes,
          total_downloaded: stats.downloadedBytes,
        },
      },
      200,
    );
  });
}
