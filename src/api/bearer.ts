/**
 * The API key of a request, from its Authorization header. Called by app, events and tickets. Source: RFC 6750, section 2.1, with
 * the scheme matched in any case as RFC 9110 (11.1) says.
 */
import { ApiError } from "./errors.ts";
import type { ApiKeys } from "./ports.ts";

/** @throws ApiError 401 for a header that is missing, repeated, of another scheme, or with a wrong key */
export async function requireKey(request: Request, keys: ApiKeys): Promise<void> {
  const header = request.headers.get("authorization");
  if (header === null) throw new ApiError(401, "API key required", { "WWW-Authenticate": "Bearer" });
  if (await hasKey(request, keys)) return;
  throw new ApiError(401, "API key not valid", { "WWW-Authenticate": 'Bearer error="invalid_token"' });
}

/** Whether the request carries a key that is valid now; one may be revoked while its answer is still streaming. */
export async function hasKey(request: Request, keys: ApiKeys): Promise<boolean> {
  const key = keyOf(request);
  return key !== undefined && (await keys.verify(key));
}

/** The b64token after `Bearer`. Repeated headers arrive joined by a comma, which no token has. */
export function keyOf(request: Request): string | undefined {
  const header = request.headers.get("authorization") ?? "";
  return /^Bearer +([\w.~+/-]{1,512}=*)$/i.exec(header)?.[1];
}
