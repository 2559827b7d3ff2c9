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

/** `blob`: what the request's body was made from, where that is known; it is carried in the body's place. */
export async function carriedFrom(request: Request, blob?: Blob): Promise<CarriedRequest> {
  const { method, signal } = request;
  const url = new URL(request.url);
  url.hash = "";
  // They stand in what a worker gets of somebody who follows a link with them, and no Request can be made with them.
  url.username = "";
  url.password = "";
  const headers: HeaderList = [...request.headers];
  const hasBody = method !== "GET" && method !== "HEAD";
  return { method, url: url.href, headers, body: hasBody ? (blob ?? (await bodyOf(request))) : null, signal };
}

/** Together again. The request's `body` can be read in every engine. */
export function requestOf({ method, url, headers, body, signal }: CarriedRequest): Request {
  // `duplex` is asked for where the body is a stream, and missing in the types.
  const init: RequestInit & { duplex: "half" } = { method, headers, body, signal, duplex: "half" };
  const request = new Request(url, init);
  if (!("body" in request)) {
    Object.defineProperty(request, "body", { value: body instanceof Blob ? body.stream() : body });
  }
  return request;
}

/** @throws BridgeError `protocol_error` for a method, URL or header that no request can have */
export function requestFrom(
  frame: RequestFrame,
  streamed: ReadableStream<Uint8Array> | undefined,
  signal: AbortSignal,
): Request {
  const { method, url, headers } = frame;
  const body = frame.body instanceof Blob ? frame.body : (streamed ?? null);
  try {
    return requestOf({ method, url, headers, body, signal });
  } catch (error) {
    throw broken(`no request: ${String(error)}`);
  }
}

async function bodyOf(request: Request): Promise<Blob | ReadableStream<Uint8Array> | null> {
  if (takesStreams()) return request.body;
  const blob = await request.blob();
  return blob.size === 0 ? null : blob;
}

/** Whether a Request can be made from a stream; where not, the stream would be turned into text. */
export function takesStreams(): boolean {
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
