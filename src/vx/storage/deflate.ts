/** Raw deflate (RFC 1951) by the platform's streams. Called by the zip's writer and reader. */
import { DEFLATE_SLACK_BYTES } from "./limits.ts";

/** Undefined where the bytes would not get smaller. */
export async function deflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const limit = bytes.byteLength + DEFLATE_SLACK_BYTES;
  const deflated = await through(new CompressionStream("deflate-raw"), bytes, limit);
  return deflated !== undefined && deflated.byteLength < bytes.byteLength ? deflated : undefined;
}

/** Undefined unless the bytes unpack to exactly that size; stops as soon as it is more. */
export async function inflate(
  bytes: Uint8Array<ArrayBuffer>,
  sizeBytes: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const inflated = await through(new DecompressionStream("deflate-raw"), bytes, sizeBytes);
  return inflated?.byteLength === sizeBytes ? inflated : undefined;
}

/** What comes out of the stream; undefined if that is more than the limit, or the stream refuses the bytes. */
async function through(
  stream: CompressionStream | DecompressionStream,
  bytes: Uint8Array<ArrayBuffer>,
  limitBytes: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const writer = stream.writable.getWriter();
  const fed = Promise.allSettled([writer.write(bytes), writer.close()]);
  const reader = stream.readable.getReader();
  const out = new Uint8Array(limitBytes);
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      if (length + value.byteLength > limitBytes) {
        await reader.cancel();
        return undefined;
      }
      out.set(value, length);
      length += value.byteLength;
    }
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  } finally {
    await fed;
  }
  return out.subarray(0, length);
}

/** Browsers throw TypeError for bytes that are no deflate; Node.js an error of zlib. */
function isRefusal(error: unknown): boolean {
  if (error instanceof TypeError) return true;
  return error instanceof Error && "code" in error && /^(Z_|ERR_)/.test(String(error.code));
}
