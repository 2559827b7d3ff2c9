/**
 * Which other sites may call: none, but for the exact origins the user listed. Answers preflights, refuses
 * foreign requests that change state, and adds the CORS headers. Called by app. Source: the Fetch standard.
 */
import { ApiError } from "./errors.ts";
import { PREFLIGHT_MAX_AGE_SECONDS } from "./limits.ts";
import type { AccessRules } from "./ports.ts";

const ALLOWED_METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE";
const ALLOWED_HEADERS =
  "Authorization, Content-Type, Content-Disposition, Range, If-Range, If-Match, If-None-Match, Last-Event-ID";
const EXPOSED_HEADERS =
  "Accept-Ranges, Allow, Content-Disposition, Content-Length, Content-Range, ETag, Location, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Ipfs-Path, X-Ipfs-Roots";

/** The answer to a CORS preflight from a listed origin; undefined for any request that is none. */
export function answerPreflight(request: Request, access: AccessRules): Response | undefined {
  const isPreflight =
    request.method === "OPTIONS" &&
    request.headers.has("origin") &&
    request.headers.has("access-control-request-method");
  if (!isPreflight) return undefined;
  if (!isListed(request, access)) throw new ApiError(403, "Origin not allowed; see --cors-origin");
  const headers = new Headers({
    "Access-Control-Allow-Methods": ALLOWED_METHODS,
    "Access-Control-Allow-Headers": ALLOWED_HEADERS,
    "Access-Control-Max-Age": String(PREFLIGHT_MAX_AGE_SECONDS),
  });
  if (request.headers.get("access-control-request-private-network") === "true") {
    headers.set("Access-Control-Allow-Private-Network", "true");
  }
  return new Response(null, { status: 204, headers });
}

/** Refuses a request that may change state and that a browser sent for another site, key or no key. */
export function refuseForeignOrigin(request: Request, url: URL, access: AccessRules): void {
  if (request.method === "GET" || request.method === "HEAD" || request.method === "OPTIONS") return;
  if (isListed(request, access)) return;
  const origin = request.headers.get("origin");
  const crossSite = request.headers.get("sec-fetch-site") === "cross-site";
  if (crossSite || (origin !== null && !isOwnOrigin(origin, request, url))) {
    throw new ApiError(403, "Origin not allowed; see --cors-origin");
  }
}

export function addCorsHeaders(headers: Headers, request: Request, access: AccessRules): void {
  if (access.corsOrigins.length > 0) headers.append("Vary", "Origin");
  if (!isListed(request, access)) return;
  headers.set("Access-Control-Allow-Origin", request.headers.get("origin") ?? "");
  headers.set("Access-Control-Expose-Headers", EXPOSED_HEADERS);
}

function isListed(request: Request, access: AccessRules): boolean {
  const origin = request.headers.get("origin");
  return origin !== null && origin !== "null" && access.corsOrigins.includes(origin);
}

/** Compares host and port alone: behind a proxy that ends TLS the schemes differ. */
function isOwnOrigin(origin: string, request: Request, url: URL): boolean {
  const match = /^https?:\/\/([^/]+)$/.exec(origin);
  return match !== null && match[1] === (request.headers.get("host") ?? url.host).toLowerCase();
}
