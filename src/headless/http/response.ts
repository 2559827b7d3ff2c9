/**
 * Sends a Response through Node.js's ServerResponse, as fast as the client takes it. Called by the HTTP server.
 * JSON that is short goes out whole with its length; all else is streamed.
 */
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { SHORT_ANSWER_BYTES } from "../limits.ts";

type BodyReader = ReadableStreamDefaultReader<Uint8Array>;

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
  const reader = response.body.getReader();
  // A body that fails while it is cancelled has nobody left to tell.
  const leave = () => void reader.cancel(signal.reason).catch(() => undefined);
  signal.addEventListener("abort", leave, { once: true });
  try {
    if (signal.aborted) leave();
    await sendBody(response, reader, outgoing, signal);
    if (signal.aborted) outgoing.destroy();
  } catch (error) {
    outgoing.destroy();
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener("abort", leave);
  }
}

async function sendBody(
  response: Response,
  reader: BodyReader,
  outgoing: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const { pieces, isWhole } = isOfNoLength(response)
    ? await readBeginning(reader)
    : { pieces: [], isWhole: false };
  if (signal.aborted) return;
  const headers = [...response.headers].flat();
  if (isWhole) {
    const body = Buffer.concat(pieces);
    headers.push("Content-Length", String(body.byteLength));
    outgoing.writeHead(response.status, headers).end(body);
    return;
  }
  outgoing.writeHead(response.status, headers);
  outgoing.flushHeaders();
  const write = async (piece: Uint8Array) => {
    if (!outgoing.write(piece)) await once(outgoing, "drain", { signal });
  };
  for (const piece of pieces) await write(piece);
  for (let next = await reader.read(); !next.done; next = await reader.read()) await write(next.value);
  if (!signal.aborted) outgoing.end();
}

function isOfNoLength(response: Response): boolean {
  const type = response.headers.get("content-type") ?? "";
  return /^application\/json\b/.test(type) && !response.headers.has("content-length");
}

/** All of a body that is short or comes in one piece, or its first pieces. */
async function readBeginning(reader: BodyReader): Promise<{ pieces: Uint8Array[]; isWhole: boolean }> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    pieces.push(next.value);
    bytes += next.value.byteLength;
    if (pieces.length > 1 && bytes > SHORT_ANSWER_BYTES) return { pieces, isWhole: false };
  }
  return { pieces, isWhole: true };
}
