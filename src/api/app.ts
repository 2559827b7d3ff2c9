/**
 * The REST API: one function from Request to Response, the same in the page and headless.
 * Called by the HTTP server (headless) and the bridge (page). It refuses in a fixed order, host, preflight,
 * rate, origin, key, path, method, an index that is loading, media type, length, syntax, and then calls the resources,
 * one file each.
 */
import type { Clock } from "../sharing/ports.ts";
import { requireKey } from "./bearer.ts";
import { contentRoutes } from "./content.ts";
import { docsRoutes } from "./docs.ts";
import { ApiError, errorResponse, isNodePath } from "./errors.ts";
import { eventRoutes } from "./events.ts";
import { fileMapRoutes } from "./file-map.ts";
import { fileRoutes } from "./files.ts";
import { folderRoutes } from "./folders.ts";
import { healthRoutes } from "./health.ts";
import { type ApiHono, createHonoApp } from "./hono-app.ts";
import { refuseForeignHost } from "./host-check.ts";
import { identityRoutes } from "./identity.ts";
import { invitationRoutes } from "./invitations.ts";
import { MAX_NODE_JSON_BYTES } from "./limits.ts";
import { metricsRoutes } from "./metrics.ts";
import { nodeRoutes } from "./node.ts";
import { addCorsHeaders, answerPreflight, refuseForeignOrigin } from "./origin.ts";
import type { ApiClient, ApiPorts, NodePorts } from "./ports.ts";
import { createRateLimit, rateLimitHeaders } from "./rate-limit.ts";
import { takeBody } from "./request-body.ts";
import { createRouteTable } from "./route-table.ts";
import { searchRoutes } from "./search.ts";
import { settingsRoutes } from "./settings.ts";
import { storageRoutes } from "./storage.ts";
import { systemRoutes } from "./system.ts";
import { ticketRoutes } from "./tickets.ts";
import { transferRoutes } from "./transfers.ts";
import { uploadRoutes } from "./uploads.ts";
import { vxRoutes } from "./vx/routes.ts";
import { loadingRefusal } from "./vx/while-loading.ts";
import { webhookRoutes } from "./webhooks/routes.ts";

export interface ApiApp {
  /** Answers every request; never rejects. */
  fetch(request: Request, client: ApiClient): Promise<Response>;
}

export function createApp(ports: ApiPorts): ApiApp {
  const hono = createHonoApp();
  const { access, limits, keys, log, node, vx } = ports;
  healthRoutes(hono, ports);
  if (node !== undefined) sharingRoutes(hono, { ...ports, node });
  if (vx !== undefined) vxRoutes(hono, vx, limits.maxBodyBytes);
  metricsRoutes(hono, ports);
  docsRoutes(hono, ports);

  const routes = createRouteTable(
    hono,
    node === undefined ? "No such path: the vector index alone runs here" : "No such path",
  );
  const countNodeRequest = createRequestCount(limits.requestsPerMinute, ports.clock);
  const countVxRequest = createRequestCount(limits.vxRequestsPerMinute ?? 0, ports.clock);

  /** Refuses, or gives the resource's answer; `headers` collects what every answer must carry. */
  async function answer(request: Request, url: URL, client: ApiClient, headers: Headers): Promise<Response> {
    refuseForeignHost(request, url, access.hostNames);
    addCorsHeaders(headers, request, access);
    const preflight = answerPreflight(request, access);
    if (preflight !== undefined) return preflight;

    if (client.inProcess !== true && url.pathname !== "/health") {
      const count =
        isNodePath(url.pathname) || isGatewayPath(url.pathname) ? countNodeRequest : countVxRequest;
      count?.(client.address, headers);
    }

    refuseForeignOrigin(request, url, access);
    const isOpen =
      routes.isOpen(url.pathname) || (ports.gateway !== undefined && isGatewayPath(url.pathname));
    if (!isOpen) await requireKey(request, keys);
    const body = routes.match(request.method, url.pathname);
    const isOfIndex = !isOpen && !isNodePath(url.pathname) && url.pathname !== "/metrics";
    if (isOfIndex && vx?.isLoading?.() === true) throw loadingRefusal();
    const maxBytes = Math.min(limits.maxBodyBytes, MAX_NODE_JSON_BYTES);
    const response = await hono.fetch(await takeBody(request, body, maxBytes), client);
    // What the node says it did is told, whatever ends the process now.
    const isRead = request.method === "GET" || request.method === "HEAD";
    if (!isRead && isNodePath(url.pathname)) await ports.webhooks?.kept();
    return response;
  }

  return {
    async fetch(request, client) {
      const url = new URL(request.url);
      const headers = new Headers({ "X-Content-Type-Options": "nosniff" });
      const response = await answer(request, url, client, headers).catch((error: unknown) =>
        errorResponse(error, request, log),
      );
      return finish(request, response, headers);
    },
  };
}

/** The routes of the sharing node. */
function sharingRoutes(hono: ApiHono, ports: NodePorts): void {
  nodeRoutes(hono, ports);
  // Before the files, whose ids stand where its name does.
  fileMapRoutes(hono, ports);
  fileRoutes(hono, ports);
  folderRoutes(hono, ports);
  searchRoutes(hono, ports);
  uploadRoutes(hono, ports);
  contentRoutes(hono, ports);
  ticketRoutes(hono, ports);
  transferRoutes(hono, ports);
  invitationRoutes(hono, ports);
  systemRoutes(hono, ports);
  eventRoutes(hono, ports);
  storageRoutes(hono, ports);
  if (ports.settings !== undefined) settingsRoutes(hono, ports.settings);
  if (ports.identity !== undefined) identityRoutes(hono, ports.identity);
  if (ports.webhooks !== undefined) webhookRoutes(hono, ports.webhooks);
  ports.gateway?.(hono, ports);
}

/** The gateway is open to anyone and reads from disk, so it is counted with the node's requests. */
function isGatewayPath(path: string): boolean {
  return path.startsWith("/ipfs/");
}

/** Counts a client's request into the headers of its answer. Undefined where any number is served. */
function createRequestCount(perMinute: number, clock: Clock) {
  if (perMinute === 0) return undefined;
  const rateLimit = createRateLimit(perMinute, clock);
  return (address: string, headers: Headers) => {
    const quota = rateLimit.take(address);
    for (const [name, value] of Object.entries(rateLimitHeaders(perMinute, quota))) headers.set(name, value);
    if (quota.allowed) return;
    throw new ApiError(429, "Rate limit exceeded", { "Retry-After": String(quota.retryAfterSeconds) });
  };
}

/** Adds the common headers, keeps answers out of caches unless they say otherwise, and drops a HEAD's body. */
async function finish(request: Request, response: Response, common: Headers): Promise<Response> {
  const headers = new Headers(response.headers);
  for (const [name, value] of common) headers.append(name, value);
  if (!headers.has("Cache-Control")) headers.set("Cache-Control", "no-store");
  const isHead = request.method === "HEAD";
  if (isHead) await response.body?.cancel();
  return new Response(isHead ? null : response.body, { status: response.status, headers });
}
