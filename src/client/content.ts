/**
 * A file's bytes, all or a range of them. Called by client; calls send. Source: RFC 9110, section 14, whose ranges have
 * at least one byte and end with their last, where ours end before `end`.
 */
import { pathTo } from "./path-to.ts";
import type { Send } from "./send.ts";
import { ShoalError } from "./shoal-error.ts";

/** Inclusive `start`, exclusive `end`, in bytes. */
export interface ContentOptions {
  start?: number | undefined;
  end?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** The bytes are the response's body. @throws ShoalError 416 for a range that the file has not, `bad_answer`, as `send` else */
export async function readContent(
  send: Send,
  fileId: string,
  { start = 0, end, signal }: ContentOptions,
): Promise<Response> {
  const path = pathTo`/api/v1/files/${fileId}/content`;
  if (start === 0 && end === undefined) return await send("GET", path, { signal });
  const last = end ?? Number.MAX_SAFE_INTEGER;
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(last) || start < 0 || last < start) {
    throw new ShoalError(`There is no range from ${start} to ${end}`, 416, "416", undefined);
  }
  // HTTP has no range without a byte, and what it has none of is answered with all bytes.
  if (start === end) {
    const response = await send("HEAD", path, { signal });
    if (start <= Number(response.headers.get("content-length") ?? start)) return response;
    throw new ShoalError("Range lies outside the file", 416, "416", undefined);
  }
  const range = `bytes=${start}-${end === undefined ? "" : end - 1}`;
  const response = await send("GET", path, { headers: { range }, signal });
  if (response.status === 206) return response;
  await response.body?.cancel();
  throw ShoalError.badAnswer(`GET ${path}`, response.status, "is not the range asked for", "");
}
