/**
 * What is answered in the app's place, in the contract's error shapes: by the service worker and the page's fetch where
 * no tab can answer, and by the static host for API routes that no service worker took.
 */

/** Seconds after which another try may do: a tab needs about that long to start its node. */
const RETRY_AFTER_SECONDS = 2;

/** 503: no node can be asked now. */
export function unavailable(pathname: string, message: string): Response {
  return refusal(pathname, 503, "unavailable", message, { "Retry-After": String(RETRY_AFTER_SECONDS) });
}

/** 431, as headless: the URL or the headers are too long. */
export function tooLarge(pathname: string, message: string): Response {
  return refusal(pathname, 431, "invalid_request", message);
}

/** A refusal in the node's shape under /api/v1, in the index's elsewhere, where `code` tells it. */
export function refusal(
  pathname: string,
  status: number,
  code: string,
  message: string,
  headers: Record<string, string> = {},
): Response {
  const isNode = pathname === "/api/v1" || pathname.startsWith("/api/v1/");
  const body = isNode ? { error: true, code: status, message } : { error: { code, message } };
  return Response.json(body, {
    status,
    headers: { ...headers, "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" },
  });
}
