/**
 * What the index's routes answer while what is stored is loaded, on hosts that serve before it is: 503 with Retry-After. Called
 * by routes; /health tells the same.
 */
import { ApiError } from "../errors.ts";
import type { ApiHono } from "../hono-app.ts";
import { LOADING_RETRY_SECONDS } from "./limits.ts";

/** Where paths of the index begin. */
const PLACES = ["/vectors", "/search", "/metadata", "/reduce", "/admin"];

/** To be called before the routes are added. */
export function refuseWhileLoading(hono: ApiHono, isLoading: () => boolean): void {
  for (const place of PLACES) {
    hono.use(`${place}/*`, async (_, next) => {
      if (isLoading()) throw loadingRefusal();
      await next();
    });
  }
}

export function loadingRefusal(): ApiError {
  return new ApiError(503, "The index is loading", { "Retry-After": String(LOADING_RETRY_SECONDS) });
}
