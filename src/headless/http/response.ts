/**
 * Sends a Response through Node.js's ServerResponse, as fast as the client takes it. Called by the HTTP server.
 * JSON goes out whole with its length; all else is streamed.
 */
import { once } from "node:events";
import type { ServerResponse } from "node:http";

/** Settles when all is handed to the socket. Rejects when the body failed; then the connection is cut. */
export async function sendResponse(
  response: Response,
  outgoing: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  if (response.body === null) {
    outgoing.writeHead(response.status, [...response.headers].flat()).end();
    return;
  }
  if (isShort(response)) {
    const body = new Uint8Array(await response.arrayBuffer());
    const headers = [...response.headers, ["Content-Length", String(body.byteLength)]];
    outgoing.writeHead(response.status, headers.flat()).end(body);
    return;
  }
  outgoing.writeHead(response.status, [...response.headers].flat());
  outgoing.flushHeaders();
  try {
    await sendStream(response.body, outgoing, signal);
  } catch (error) {
    outgoing.destroy();
    throw error;
  }
}

function isShort(response: Response): boolean {
  const type = response.headers.get("content-type") ?? "";
  return /^application\/json\b/.test(type) && !response.headers.has("content-length");
}

async function sendStream(
  body: ReadableStream<Uint8Array>,
  outgoing: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const reader = body.getReader();
  // A body that fails while it is cancelled has nobody left to tell.
  const leave = () => void reader.cancel(signal.reason).catch(() => undefined);
  signal.addEventListener("abort", leave, { once: true });
  try {
    if (signal.aborted) leave();
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      if (!outgoing.write(next.value)) await once(outgoing, "drain", { signal });
    }
    if (signal.aborted) outgoing.destroy();
    else outgoing.end();
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener("abort", leave);
  }
}
