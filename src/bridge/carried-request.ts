/**
 * A Request taken apart for the port, and put together again at its other end. Called by asking and answering. Some
 * engines (Firefox) have no request bodies as streams: there a body is carried as a Blob, which is no copy, and the
 * request that comes out is given the `body` that the API reads.
 */
import { broken, type HeaderList, type RequestFrame } from "./frames.ts";

/** A request before it is sent. A Blob is carried as such, so that a file of any length costs no memory. */
export interface CarriedRequest {
  method: string;
  url: string;
  headers: HeaderList;
  body: Blob | ReadableStream<Uint8Array> | null;
  signal: AbortSignal;
}

export async function carriedFrom(request: Request): Promise<CarriedRequest> {
  const { method, signal } = request;
  const url = request.url.replace(/#.*$/s, "");
  const headers: HeaderList = [...request.headers];
  const hasBody = method !== "GET" && method !== "HEAD";
  return { method, url, headers, body: hasBody ? await bodyOf(request) : null, signal };
}

/** @throws BridgeError `protocol_error` for a method, URL or header that no request can have */
export function requestFrom(
  frame: RequestFrame,
  streamed: ReadableStream<Uint8Array> | undefined,
  signal: AbortSignal,
): Request {
  const body = frame.body instanceof Blob ? frame.body : (streamed ?? null);
  // `duplex` is asked for where the body is a stream, and missing in the types.
  const init: RequestInit & { duplex: "half" } = {
    method: frame.method,
    headers: frame.headers,
    body,
    signal,
    duplex: "half",
  };
  let request: Request;
  try {
    request = new Request(frame.url, init);
  } catch (error) {
    throw broken(`no request: ${String(error)}`);
  }
  if (body instanceof Blob && !("body" in request)) {
    Object.defineProperty(request, "body", { value: body.stream() });
  }
  return request;
}

async function bodyOf(request: Request): Promise<Blob | ReadableStream<Uint8Array> | null> {
  if (takesStreams()) return request.body;
  const blob = await request.blob();
  return blob.size === 0 ? null : blob;
}

/** Whether a Request can be made from a stream; where not, the stream would be turned into text. */
function takesStreams(): boolean {
  let asked = false;
  const probe = new Request("https://probe.invalid", {
    method: "POST",
    body: new ReadableStream(),
    get duplex() {
      asked = true;
      return "half" as const;
    },
  } as RequestInit);
  return asked && !probe.headers.has("content-type") && "body" in probe;
}
