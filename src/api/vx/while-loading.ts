/**
 * What is answered for the index while what is stored is loaded, on hosts that serve before it is. Thrown by app, told by
 * /health.
 */
import { ApiError } from "../errors.ts";
import { LOADING_RETRY_SECONDS } from "./limits.ts";

export function loadingRefusal(): ApiError {
  return new ApiError(503, "The index is loading", { "Retry-After": String(LOADING_RETRY_SECONDS) });
}
