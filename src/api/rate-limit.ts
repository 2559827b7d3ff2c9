/**
 * The rate limit: never more than N requests of one client address in any 60 s, exactly, by a log of times.
 * Called by app, before the key is looked at, for the node's requests and for the index's; by gateway for whom a reader counts.
 * Memory is bounded and can't be used to evade: a client still within its window is never forgotten, and when all places are
 * taken newcomers share one.
 * Headers: draft-ietf-httpapi-ratelimit-headers-10.
 */
import { parseIpAddress } from "../sharing/ip-address.ts";
import type { Clock } from "../sharing/ports.ts";
import { MAX_CLIENT_ADDRESS_CHARS, MAX_RATE_CLIENTS, MAX_RATE_TIMESTAMPS, RATE_WINDOW_MS } from "./limits.ts";

export interface Quota {
  allowed: boolean;
  remaining: number;
  /** Until the next request is served again: 0 while some remain. */
  retryAfterSeconds: number;
  /** Until the oldest request counted leaves the window. */
  resetSeconds: number;
}

export interface RateLimit {
  /** Counts one request, unless it is over the limit. */
  take(address: string): Quota;
}

export function createRateLimit(limit: number, clock: Clock, maxClients = MAX_RATE_CLIENTS): RateLimit {
  const places = Math.max(1, Math.min(maxClients, Math.floor(MAX_RATE_TIMESTAMPS / limit)));
  /** In the order of their last served request, so that the first is the first to be forgotten. */
  const logs = new Map<string, number[]>();
  const shared: number[] = [];

  /** The times of its requests that are still in the window. */
  function logOf(key: string, now: number): number[] {
    const own = logs.get(key);
    dropExpired(own ?? shared, now);
    if (own !== undefined) return own;
    for (const [other, log] of logs) {
      if ((log.at(-1) ?? 0) > now - RATE_WINDOW_MS) break;
      logs.delete(other);
    }
    // Some of the shared times may be this client's, so all count for it.
    return logs.size >= places ? shared : [...shared];
  }

  return {
    take(address) {
      const now = clock.monotonic();
      const key = clientKey(address);
      const log = logOf(key, now);
      const allowed = log.length < limit;
      if (allowed) {
        log.push(now);
        if (log !== shared) {
          logs.delete(key);
          logs.set(key, log);
        }
      }
      const resetSeconds = Math.ceil(((log[0] ?? now) + RATE_WINDOW_MS - now) / 1000);
      return {
        allowed,
        remaining: limit - log.length,
        retryAfterSeconds: allowed ? 0 : resetSeconds,
        resetSeconds,
      };
    },
  };
}

export function rateLimitHeaders(limit: number, quota: Quota): Record<string, string> {
  return {
    "RateLimit-Policy": `"default";q=${limit};w=${RATE_WINDOW_MS / 1000}`,
    RateLimit: `"default";r=${quota.remaining};t=${quota.resetSeconds}`,
  };
}

/** One key a client: any spelling of an address; for IPv6 the /64 that one subscriber is given (RFC 6177). */
export function clientKey(address: string): string {
  const bytes = parseIpAddress(address);
  if (bytes === undefined) return `client ${address.slice(0, MAX_CLIENT_ADDRESS_CHARS)}`;
  return bytes.subarray(0, 8).join(".");
}

function dropExpired(log: number[], now: number): void {
  const live = log.findIndex((time) => time > now - RATE_WINDOW_MS);
  log.splice(0, live === -1 ? log.length : live);
}
