/**
 * The API key of a request, from its Authorization header. Called by app. Source: RFC 6750, section 2.1, with
 * the scheme matched in any case as RFC 9110 (11.1) says.
 */
import { ApiError } from "./errors.ts";
import type { ApiKeys } from "./ports.ts";

/** @throws ApiError 401 for a header that is missing, repeated, of another scheme, or with a wrong key */
export async function requireKey(request: Request, keys: ApiKeys): Promise<void> {
  const header = request.headers.get("authorization");
  if (header === null) throw new ApiError(401, "API key required", { "WWW-Authenticate": "Bearer" });
  const key = bearerKey(header);
  if (key === undefined || !(await keys.verify(key))) {
    throw new ApiError(401, "API key not valid", { "WWW-Authenticate": 'Bearer error="invalid_token"' });
  }
}

/** The b64token after `Bearer`. Repeated headers arrive joined by a comma, which no token has. */
function bearerKey(header: string): string | undefined {
  return /^Bearer +([\w.~+/-]{1,512}=*)$/i.exec(header)?.[1];
}
