/**
 * What the web port answers: the page's files, /shoal.json, side streams of the exchange and posts to it for pages that bring
 * a ticket, and a refusal for the API's paths, which only a service worker can answer there. Called by the HTTP server; calls
 * page-files and shoal-json. Refusals have the API's shapes.
 */
import { ApiError, errorResponse } from "../../api/errors.ts";
import { refuseForeignHost } from "../../api/host-check.ts";
import { isApiPath } from "../../bridge/api-paths.ts";
import type { ExpectedPosts } from "../../exchange/asking/expected-posts.ts";
import type { OfferedSides } from "../../exchange/serving/offered-sides.ts";
import type { Log } from "../../sharing/ports.ts";
import { SERVICE_WORKER_RETRY_SECONDS } from "../limits.ts";
import type { PageFiles } from "./page-files.ts";
import { type ReachableNode, shoalJson } from "./shoal-json.ts";

const SIDE_PATH = /^\/exchange\/([\w-]+)$/;
const POST_PATH = /^\/exchange\/([\w-]+)\/(\d{1,10})$/;

const SIDE_HEADERS = {
  "Content-Type": "application/octet-stream",
  "Cache-Control": "no-store, no-transform",
  "Cross-Origin-Resource-Policy": "same-origin",
  "X-Content-Type-Options": "nosniff",
  // Heard by nginx and others, which hold back what comes in small pieces.
  "X-Accel-Buffering": "no",
};

export interface WebApp {
  /** Answers every request; never rejects. */
  fetch(request: Request): Promise<Response>;
}

export function createWebApp(ports: {
  files: PageFiles;
  node: ReachableNode;
  sides: OfferedSides;
  posts: ExpectedPosts;
  hostNames: readonly string[];
  log: Log;
}): WebApp {
  async function answer(request: Request, url: URL): Promise<Response> {
    refuseForeignHost(request, url, ports.hostNames);
    if (isApiPath(url.pathname)) {
      throw new ApiError(503, "No tab of this browser runs a node; open the page and try again", {
        "Retry-After": String(SERVICE_WORKER_RETRY_SECONDS),
      });
    }
    const [, postTicket, requestId] = POST_PATH.exec(url.pathname) ?? [];
    if (request.method === "POST" && postTicket !== undefined) {
      return await postAnswer(request, postTicket, Number(requestId));
    }
    const isShoalJson = url.pathname === "/shoal.json";
    const ticket = SIDE_PATH.exec(url.pathname)?.[1];
    if (ticket === undefined && !isShoalJson && !(await ports.files.has(url.pathname)))
      throw new ApiError(404, "No such path");
    if (request.method !== "GET" && request.method !== "HEAD") {
      throw new ApiError(405, "Method not allowed", { Allow: "GET, HEAD" });
    }
    if (ticket !== undefined) return sideAnswer(ticket, request.method);
    if (isShoalJson) return shoalJsonAnswer(url.hostname);
    const file = await ports.files.answer(request, url.pathname);
    if (file === undefined) throw new ApiError(404, "No such path");
    return file;
  }

  /** A ticket is a right of its own, and no page of another origin may read what it brings. */
  function sideAnswer(ticket: string, method: string): Response {
    const bytes = method === "GET" ? ports.sides.redeem(ticket) : undefined;
    if (bytes === undefined) throw new ApiError(404, "No such ticket");
    return new Response(bytes, { headers: SIDE_HEADERS });
  }

  /** A request without a length has no block. */
  async function postAnswer(
    { headers, body }: Request,
    ticket: string,
    requestId: number,
  ): Promise<Response> {
    const sizeBytes = Number(headers.get("content-length") ?? Number.NaN);
    if (!Number.isSafeInteger(sizeBytes) || body === null) throw new ApiError(400, "A block has a length");
    if (!(await ports.posts.take(ticket, requestId, sizeBytes, body)))
      throw new ApiError(404, "No such ticket, or no such request");
    return new Response(null, { status: 204, headers: { "Cache-Control": "no-store" } });
  }

  function shoalJsonAnswer(hostname: string): Response {
    return Response.json(shoalJson(ports.node, hostname), {
      headers: { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" },
    });
  }

  return {
    async fetch(request) {
      const url = new URL(request.url);
      try {
        return await answer(request, url);
      } catch (error) {
        const refusal = errorResponse(error, request, ports.log);
        refusal.headers.set("X-Content-Type-Options", "nosniff");
        refusal.headers.set("Cache-Control", "no-store");
        return refusal;
      }
    },
  };
}
