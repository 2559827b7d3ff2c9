/**
 * GET /metrics: counters and gauges of the node and of the index, whichever the host has, for Prometheus. Called by app;
 * calls sharing/node and vx/metrics. Source: Prometheus text exposition format 0.0.4.
 */
import { createRoute, z } from "@hono/zod-openapi";
import type { Log } from "../sharing/ports.ts";
import type { SharingNode } from "../sharing/sharing-node.ts";
import { ACTIVE_STATUSES } from "../sharing/transfers/transfer-record.ts";
import { type ApiHono, KEY_REQUIRED } from "./hono-app.ts";
import { metricFamily } from "./metric-family.ts";
import type { ApiPorts } from "./ports.ts";
import { vxRefusals } from "./refusals.ts";
import { vxMetricFamilies } from "./vx/metrics.ts";
import type { VxPorts } from "./vx/ports.ts";

export function metricsRoutes(app: ApiHono, { node, vx, version, log }: ApiPorts): void {
  const route = createRoute({
    method: "get",
    path: "/metrics",
    operationId: "getMetrics",
    summary: "Metrics of node and index, as Prometheus text",
    security: KEY_REQUIRED,
    responses: {
      200: { description: "Metrics", content: { "text/plain": { schema: z.string() } } },
      ...vxRefusals(401),
    },
  });
  app.openapi(route, async (c) => {
    const families = [
      metricFamily("shoal_build_info", "gauge", "Version of the program", [
        [`version="${labelText(version)}"`, 1],
      ]),
      ...(node === undefined ? [] : [await nodeFamilies(node)]),
      ...(vx === undefined ? [] : [await indexFamilies(vx, log)]),
    ];
    return c.text(families.join(""), 200, { "Content-Type": "text/plain; version=0.0.4; charset=utf-8" });
  });
}

async function nodeFamilies(node: SharingNode): Promise<string> {
  const [info, stats] = await Promise.all([node.info(), node.stats()]);
  const active = node.transfers();
  return [
    metricFamily("shoal_uptime_seconds", "gauge", "Time since start", [["", info.uptimeSeconds]]),
    metricFamily("shoal_peers_connected", "gauge", "Connected peers", [["", info.peersConnected]]),
    metricFamily("shoal_storage_used_bytes", "gauge", "Bytes of stored chunks", [
      ["", info.storageUsedBytes],
    ]),
    metricFamily("shoal_storage_available_bytes", "gauge", "Bytes that may still be stored", [
      ["", info.storageAvailableBytes],
    ]),
    metricFamily("shoal_cpu_usage_ratio", "gauge", "Busy fraction of the process", [["", stats.cpuUsage]]),
    metricFamily("shoal_memory_bytes", "gauge", "Memory of the process", [["", stats.memoryBytes]]),
    metricFamily("shoal_disk_bytes", "gauge", "Bytes in the data folder", [["", stats.diskBytes]]),
    metricFamily("shoal_traffic_bytes_total", "counter", "Payload moved since start", [
      [`direction="upload"`, stats.uploadedBytes],
      [`direction="download"`, stats.downloadedBytes],
    ]),
    metricFamily("shoal_traffic_bytes_per_second", "gauge", "Payload speed over the last seconds", [
      [`direction="upload"`, stats.uploadBytesPerSecond],
      [`direction="download"`, stats.downloadBytesPerSecond],
    ]),
    metricFamily("shoal_files", "gauge", "Local files", [
      [`complete="true"`, node.files().filter((file) => file.complete).length],
      [`complete="false"`, node.files().filter((file) => !file.complete).length],
    ]),
    metricFamily("shoal_network_files", "gauge", "Files that peers announce", [["", node.offers().length]]),
    metricFamily(
      "shoal_transfers_active",
      "gauge",
      "Transfers under way or interrupted",
      ACTIVE_STATUSES.map((status) => [
        `status="${status}"`,
        active.filter((transfer) => transfer.status === status).length,
      ]),
    ),
  ].join("");
}

/** An index that is loading, or can't be opened, is told as one that is down, and keeps nobody from the rest. */
async function indexFamilies({ index, isLoading }: VxPorts, log: Log): Promise<string> {
  const up = (value: 0 | 1) =>
    metricFamily("shoal_vx_up", "gauge", "Whether the index answers", [["", value]]);
  if (isLoading?.() === true) return up(0);
  try {
    return (await vxMetricFamilies(index)) + up(1);
  } catch (error) {
    log.warn("the index gives no metrics", { error });
    return up(0);
  }
}

function labelText(text: string): string {
  return text.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n");
}
