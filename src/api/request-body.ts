/**
 * The body of a request, checked before its handler runs: media type 415, length 413 (also of a stream that
 * gives none), strict JSON 400. Called by app; gives a request that Hono's validators can read. The index's routes
 * take their bodies by vx/json-route, which is made for long ones.
 */
import { ApiError } from "./errors.ts";
import { inTurns } from "./in-turns.ts";
import { checkJson } from "./json-reader.ts";
import type { BodyKind } from "./route-table.ts";

/** @throws ApiError 400, 413, 415 */
export async function takeBody(request: Request, kind: BodyKind, maxBytes: number): Promise<Request> {
  if (kind === "none" && request.body === null) return request;
  if (kind === "stream") {
    refusePacked(request.headers);
    return request;
  }
  const isRequired = kind === "json";
  const bytes =
    kind === "none" ? await readBytes(request, maxBytes) : await readJsonBody(request, maxBytes, isRequired);
  if (bytes.length > 0) checkJson(bytes);
  const headers = new Headers(request.headers);
  headers.set("Content-Type", "application/json");
  const { url, method, signal } = request;
  return new Request(url, { method, headers, signal, body: kind === "none" ? null : bytes });
}

/** All bytes of a body of JSON; `{}` for one that was left out and may be. @throws ApiError 400, 413, 415 */
export async function readJsonBody(
  request: Request,
  maxBytes: number,
  isRequired: boolean,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await readBytes(request, maxBytes);
  if (bytes.length > 0) return bytes;
  if (isRequired) throw new ApiError(400, "A JSON body is required");
  return new TextEncoder().encode("{}");
}

/** A body that is taken as it comes, and let go of where nobody reads on. */
export async function* bodyPieces(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  const reader = body.getReader();
  try {
    for (let next = await reader.read(); next.value !== undefined; next = await reader.read())
      yield next.value;
  } finally {
    await reader.cancel();
  }
}

/** True where the headers alone say that a body follows. */
function carriesBody(headers: Headers): boolean {
  const length = headers.get("content-length");
  return length !== null && length !== "0";
}

/** Nothing is unpacked here: packed bytes would be taken for what was meant. @throws ApiError 415 */
function refusePacked(headers: Headers): void {
  const encoding = headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  if (encoding !== "identity") throw new ApiError(415, "The body must come without a Content-Encoding");
}

function refuseOtherMediaTypes(headers: Headers): void {
  refusePacked(headers);
  const [essence, ...parameters] = (headers.get("content-type") ?? "").toLowerCase().split(";");
  const charsets = parameters
    .map((parameter) => parameter.trim())
    .filter((text) => text.startsWith("charset="));
  const isUtf8 = charsets.every((charset) => /^charset="?utf-?8"?$/.test(charset));
  if (essence?.trim() !== "application/json" || !isUtf8) {
    throw new ApiError(415, "The body must be application/json in UTF-8");
  }
}

/**
 * None where there is no body. One whose length no header tells shows with its first byte whether it is there.
 * @throws ApiError 413, 415
 */
async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  if (carriesBody(request.headers)) refuseOtherMediaTypes(request.headers);
  const tooLong = () => new ApiError(413, `The body is longer than ${maxBytes} bytes`);
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) throw tooLong();
  const reader = request.body?.getReader();
  const parts: Uint8Array[] = [];
  let length = 0;
  for (let next = await reader?.read(); next?.value !== undefined; next = await reader?.read()) {
    if (length === 0 && next.value.length > 0) refuseOtherMediaTypes(request.headers);
    length += next.value.length;
    if (length > maxBytes) {
      const refusal = tooLong();
      await reader?.cancel(refusal);
      throw refusal;
    }
    parts.push(next.value);
  }
  return withoutMark(await inTurns(joined(parts, length)));
}

/** Editors and shells of Windows begin texts with a byte order mark. Source: RFC 8259, 8.1. */
function withoutMark(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const isMarked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return isMarked ? bytes.subarray(3) : bytes;
}

/** In turns, for copying a long body takes longer than others should wait. */
function* joined(parts: Uint8Array[], length: number): Generator<void, Uint8Array<ArrayBuffer>> {
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
    yield;
  }
  return whole;
}
