/** What the index measures: GET /admin/metrics as JSON, and its families of GET /metrics. Called by routes and metrics. */
import { createRoute, z } from "@hono/zod-openapi";
import type { Failure as Failed } from "../../vx/engine/engine.ts";
import { Timestamp } from "../fields.ts";
import { jsonAnswer, KEY_REQUIRED } from "../hono-app.ts";
import { metricFamily } from "../metric-family.ts";
import { vxRefusals } from "../refusals.ts";
import type { VxApp } from "./json-route.ts";
import type { VxIndex } from "./ports.ts";

const Count = z.int().min(0);

const Failure = z
  .object({
    task: z.enum(["snapshot", "backup", "tend", "write", "fit"]),
    code: z.string(),
    message: z.string(),
    timestamp: Timestamp,
  })
  .openapi("IndexFailure");

const VxMetrics = z
  .object({
    vector_count: Count,
    memory_usage_mb: z.number().min(0).openapi({ description: "Megabytes of 10^6 bytes" }),
    uptime_seconds: Count,
    search_latency_ms: z.number().min(0).openapi({ description: "Median of the latest; 0 before the first" }),
    add_latency_ms: z.number().min(0).openapi({ description: "Median of the latest; 0 before the first" }),
    dimension: Count,
    searches_total: Count,
    vectors_added_total: Count,
    vectors_deleted_total: Count,
    journal_bytes: Count.openapi({ description: "Bytes that the next opening replays" }),
    reduced_dimension: Count.openapi({
      description: "Numbers in a reduced vector; 0 while vectors are searched as they are",
    }),
    fit_progress: z.number().min(0).max(1).openapi({
      description: "Of the fit of a model that is under way; 0 where none is",
    }),
    fits_total: Count.openapi({ description: "Models fitted since the index was opened" }),
    failures: z
      .array(Failure)
      .openapi({ description: "Of what the index does by itself; gone once it succeeds" }),
  })
  .openapi("VxMetrics");

export type VxMetrics = z.infer<typeof VxMetrics>;

export function vxMetricsRoutes({ hono }: VxApp, index: VxIndex): void {
  const route = createRoute({
    method: "get",
    path: "/admin/metrics",
    operationId: "getIndexMetrics",
    summary: "What the index holds and how fast it is",
    security: KEY_REQUIRED,
    responses: { ...jsonAnswer(VxMetrics, "Measured now"), ...vxRefusals(401, 503) },
  });
  hono.openapi(route, async (c) => {
    const [metrics, { failures }] = await Promise.all([index.collectMetrics(), index.healthCheck()]);
    const uptime_seconds = Math.floor(metrics.uptime_seconds);
    return c.json({ ...metrics, uptime_seconds, failures: failures.map(failureBody) }, 200);
  });
}

/** What nobody foresaw may name places of the machine: it is for the log alone. */
function failureBody({ task, code, message, timestamp }: Failed): z.infer<typeof Failure> {
  const told = code === "internal" ? "an internal error" : message;
  return { task, code, message: told, timestamp: timestamp.toISOString() };
}

export async function vxMetricFamilies(index: VxIndex): Promise<string> {
  const metrics = await index.collectMetrics();
  return [
    metricFamily("shoal_vx_vectors", "gauge", "Vectors in the index", [["", metrics.vector_count]]),
    metricFamily("shoal_vx_memory_bytes", "gauge", "Memory of the index", [
      ["", Math.round(metrics.memory_usage_mb * 1e6)],
    ]),
    metricFamily("shoal_vx_search_latency_seconds", "gauge", "Median of the latest searches", [
      ["", metrics.search_latency_ms / 1000],
    ]),
    metricFamily("shoal_vx_add_latency_seconds", "gauge", "Median of the latest additions", [
      ["", metrics.add_latency_ms / 1000],
    ]),
    metricFamily("shoal_vx_searches_total", "counter", "Searches since start", [
      ["", metrics.searches_total],
    ]),
    metricFamily("shoal_vx_vectors_added_total", "counter", "Vectors added since start", [
      ["", metrics.vectors_added_total],
    ]),
    metricFamily("shoal_vx_vectors_deleted_total", "counter", "Vectors deleted since start", [
      ["", metrics.vectors_deleted_total],
    ]),
    metricFamily("shoal_vx_journal_bytes", "gauge", "What the next opening replays", [
      ["", metrics.journal_bytes],
    ]),
    metricFamily("shoal_vx_reduced_dimension", "gauge", "Numbers in a reduced vector; 0: not reduced", [
      ["", metrics.reduced_dimension],
    ]),
    metricFamily("shoal_vx_fit_progress_ratio", "gauge", "Of the fit of a model under way", [
      ["", metrics.fit_progress],
    ]),
    metricFamily("shoal_vx_fits_total", "counter", "Models fitted since start", [["", metrics.fits_total]]),
  ].join("");
}
