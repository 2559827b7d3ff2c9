/**
 * The REST API: one function from Request to Response, the same in the page and headless.
 * Called by the HTTP server (headless) and the bridge (page). It refuses in a fixed order, host, preflight,
 * rate, origin, key, path, method, media type, length, syntax, and then calls the resources, one file each.
 */
import { requireKey } from "./bearer.ts";
import { contentRoutes } from "./content.ts";
import { docsRoutes } from "./docs.ts";
import { ApiError, errorResponse, isNodePath } from "./errors.ts";
import { eventRoutes } from "./events.ts";
import { fileRoutes } from "./files.ts";
import { gatewayRoutes } from "./gateway.ts";
import { healthRoutes } from "./health.ts";
import { createHonoApp } from "./hono-app.ts";
import { refuseForeignHost } from "./host-check.ts";
import { MAX_NODE_JSON_BYTES } from "./limits.ts";
import { metricsRoutes } from "./metrics.ts";
import { nodeRoutes } from "./node.ts";
import { addCorsHeaders, answerPreflight, refuseForeignOrigin } from "./origin.ts";
import type { ApiClient, ApiPorts } from "./ports.ts";
import { createRateLimit, rateLimitHeaders } from "./rate-limit.ts";
import { takeBody } from "./request-body.ts";
import { createRouteTable } from "./route-table.ts";
import { systemRoutes } from "./system.ts";
import { ticketRoutes } from "./tickets.ts";
import { transferRoutes } from "./transfers.ts";
import { uploadRoutes } from "./uploads.ts";
import { webhookRoutes } from "./webhooks/routes.ts";

export interface ApiApp {
  /** Answers every request; never rejects. */
  fetch(request: Request, client: ApiClient): Promise<Response>;
}

export function createApp(ports: ApiPorts): ApiApp {
  const hono = createHonoApp();
  healthRoutes(hono, ports);
  nodeRoutes(hono, ports);
  fileRoutes(hono, ports);
  uploadRoutes(hono, ports);
  contentRoutes(hono, ports);
  ticketRoutes(hono, ports);
  transferRoutes(hono, ports);
  systemRoutes(hono, ports);
  eventRoutes(hono, ports);
  if (ports.webhooks !== undefined) webhookRoutes(hono, ports.webhooks);
  metricsRoutes(hono, ports);
  if (ports.gateway) gatewayRoutes(hono, ports);
  docsRoutes(hono, ports);

  const routes = createRouteTable(hono);
  const { access, limits, keys, log } = ports;
  const rateLimit = createRateLimit(limits.requestsPerMinute, ports.clock);

  /** Refuses, or gives the resource's answer; `headers` collects what every answer must carry. */
  async function answer(request: Request, url: URL, client: ApiClient, headers: Headers): Promise<Response> {
    refuseForeignHost(request, url, access.hostNames);
    addCorsHeaders(headers, request, access);
    const preflight = answerPreflight(request, access);
    if (preflight !== undefined) return preflight;

    if (isRateLimited(url.pathname) && limits.requestsPerMinute > 0 && client.inProcess !== true) {
      const quota = rateLimit.take(client.address);
      for (const [name, value] of Object.entries(rateLimitHeaders(limits.requestsPerMinute, quota))) {
        headers.set(name, value);
      }
      if (!quota.allowed) {
        throw new ApiError(429, "Rate limit exceeded", { "Retry-After": String(quota.retryAfterSeconds) });
      }
    }

    refuseForeignOrigin(request, url, access);
    if (!routes.isOpen(url.pathname)) await requireKey(request, keys);
    const body = routes.match(request.method, url.pathname);
    const maxBytes = isNodePath(url.pathname)
      ? Math.min(limits.maxBodyBytes, MAX_NODE_JSON_BYTES)
      : limits.maxBodyBytes;
    return await hono.fetch(await takeBody(request, body, maxBytes));
  }

  return {
    async fetch(request, client) {
      const url = new URL(request.url);
      const headers = new Headers({ "X-Content-Type-Options": "nosniff" });
      const response = await answer(request, url, client, headers).catch((error: unknown) =>
        errorResponse(error, url.pathname, log),
      );
      return finish(request, response, headers);
    },
  };
}

/** The gateway is open to anyone and reads from disk, so it is counted too. */
function isRateLimited(path: string): boolean {
  return isNodePath(path) || path.startsWith("/ipfs/");
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
