/**
 * GET /metrics: counters and gauges of the node for Prometheus, then what the host adds for the index.
 * Called by app; calls sharing/node. Source: Prometheus text exposition format 0.0.4.
 */
import { createRoute, z } from "@hono/zod-openapi";
import type { SharingNode } from "../sharing/node.ts";
import { ACTIVE_STATUSES } from "../sharing/transfer-record.ts";
import { type ApiHono, KEY_REQUIRED, vxRefusals } from "./hono-app.ts";
import type { ApiPorts } from "./ports.ts";

export function metricsRoutes(app: ApiHono, { node, version, furtherMetrics }: ApiPorts): void {
  const route = createRoute({
    method: "get",
    path: "/metrics",
    summary: "Metrics of node and index, as Prometheus text",
    security: KEY_REQUIRED,
    responses: {
      200: { description: "Metrics", content: { "text/plain": { schema: z.string() } } },
      ...vxRefusals(401),
    },
  });
  app.openapi(route, async (c) => {
    const text = (await nodeMetrics(node, version)) + ((await furtherMetrics?.()) ?? "");
    return c.text(text, 200, { "Content-Type": "text/plain; version=0.0.4; charset=utf-8" });
  });
}

async function nodeMetrics(node: SharingNode, version: string): Promise<string> {
  const [info, stats] = await Promise.all([node.info(), node.stats()]);
  const active = node.transfers();
  return [
    family("shoal_build_info", "gauge", "Version of the program", [[`version="${labelText(version)}"`, 1]]),
    family("shoal_uptime_seconds", "gauge", "Time since start", [["", info.uptimeSeconds]]),
    family("shoal_peers_connected", "gauge", "Connected peers", [["", info.peersConnected]]),
    family("shoal_storage_used_bytes", "gauge", "Bytes of stored chunks", [["", info.storageUsedBytes]]),
    family("shoal_storage_available_bytes", "gauge", "Bytes that may still be stored", [
      ["", info.storageAvailableBytes],
    ]),
    family("shoal_cpu_usage_ratio", "gauge", "Busy fraction of the process", [["", stats.cpuUsage]]),
    family("shoal_memory_bytes", "gauge", "Memory of the process", [["", stats.memoryBytes]]),
    family("shoal_disk_bytes", "gauge", "Bytes in the data folder", [["", stats.diskBytes]]),
    family("shoal_traffic_bytes_total", "counter", "Payload moved since start", [
      [`direction="upload"`, stats.uploadedBytes],
      [`direction="download"`, stats.downloadedBytes],
    ]),
    family("shoal_traffic_bytes_per_second", "gauge", "Payload speed over the last seconds", [
      [`direction="upload"`, stats.uploadBytesPerSecond],
      [`direction="download"`, stats.downloadBytesPerSecond],
    ]),
    family("shoal_files", "gauge", "Local files", [
      [`complete="true"`, node.files().filter((file) => file.complete).length],
      [`complete="false"`, node.files().filter((file) => !file.complete).length],
    ]),
    family("shoal_network_files", "gauge", "Files that peers announce", [["", node.offers().length]]),
    family(
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

function family(
  name: string,
  type: "gauge" | "counter",
  help: string,
  samples: [labels: string, value: number][],
): string {
  const lines = samples.map(([labels, value]) => `${name}${labels === "" ? "" : `{${labels}}`} ${value}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}

function labelText(text: string): string {
  return text.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n");
}
