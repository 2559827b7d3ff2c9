/** What an index tells of itself that nobody has asked for yet: that it is empty. Used by Vx, for an index opened on demand. */
import type { EngineSettings } from "./config.ts";
import type { Health, Metrics } from "./engine/engine.ts";
import { DEFAULT_DIMENSION } from "./engine/limits.ts";

export function unopenedHealth({
  dimension = DEFAULT_DIMENSION,
  distance = "cosine",
}: EngineSettings): Health {
  return {
    status: "ok",
    vectorCount: 0,
    dimension,
    distance,
    lastSnapshot: undefined,
    lastBackup: undefined,
    failures: [],
  };
}

export function unopenedMetrics(
  { dimension = DEFAULT_DIMENSION }: EngineSettings,
  uptimeSeconds: number,
): Metrics {
  return {
    vector_count: 0,
    memory_usage_mb: 0,
    uptime_seconds: uptimeSeconds,
    search_latency_ms: 0,
    add_latency_ms: 0,
    dimension,
    searches_total: 0,
    vectors_added_total: 0,
    vectors_deleted_total: 0,
    journal_bytes: 0,
    reduced_dimension: 0,
    fit_progress: 0,
    fits_total: 0,
  };
}
