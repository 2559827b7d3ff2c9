/**
 * The body of a request, checked before its handler runs: media type 415, length 413 (also of a stream that
 * gives none), strict JSON 400. Called by app; gives a request that Hono's validators can read.
 */
import { ApiError } from "./errors.ts";
import type { BodyKind } from "./route-table.ts";
import { decodeUtf8, parseStrictJson } from "./strict-json.ts";

/** @throws ApiError 400, 413, 415 */
export async function takeBody(request: Request, kind: BodyKind, maxBytes: number): Promise<Request> {
  if (kind === "stream" || (kind === "none" && request.body === null)) return request;
  if (carriesBody(request.headers)) refuseOtherMediaTypes(request.headers);
  const text = decodeUtf8(await readJsonBytes(request, maxBytes));
  if (text !== "") parseStrictJson(text);
  else if (kind === "json") throw new ApiError(400, "A JSON body is required");
  const headers = new Headers(request.headers);
  headers.set("Content-Type", "application/json");
  const { url, method, signal } = request;
  return new Request(url, { method, headers, signal, body: kind === "json" ? text : null });
}

/** True where the headers alone say that a body follows. */
function carriesBody(headers: Headers): boolean {
  const length = headers.get("content-length");
  return length !== null && length !== "0";
}

function refuseOtherMediaTypes(headers: Headers): void {
  const [essence, ...parameters] = (headers.get("content-type") ?? "").toLowerCase().split(";");
  const charsets = parameters
    .map((parameter) => parameter.trim())
    .filter((text) => text.startsWith("charset="));
  const isUtf8 = charsets.every((charset) => /^charset="?utf-8"?$/.test(charset));
  if (essence?.trim() !== "application/json" || !isUtf8) {
    throw new ApiError(415, "The body must be application/json in UTF-8");
  }
}

/** A body whose length no header tells shows with its first byte whether there is one. */
async function readJsonBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  const tooLong = new ApiError(413, `The body is longer than ${maxBytes} bytes`);
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) throw tooLong;
  const reader = request.body?.getReader();
  const parts: Uint8Array[] = [];
  let length = 0;
  for (let next = await reader?.read(); next?.value !== undefined; next = await reader?.read()) {
    if (length === 0 && next.value.length > 0) refuseOtherMediaTypes(request.headers);
    length += next.value.length;
    if (length > maxBytes) {
      await reader?.cancel(tooLong);
      throw tooLong;
    }
    parts.push(next.value);
  }
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}
