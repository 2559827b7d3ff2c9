/**
 * A Request from Node.js's IncomingMessage. Called by the HTTP server. Headers are taken as they came, repeated
 * ones joined by commas as fetch does (Node.js itself would drop repeats of Host and Authorization), the body as
 * a stream that is read only as fast as the app asks.
 */
import type { IncomingMessage } from "node:http";
import { TLSSocket } from "node:tls";
import { unlessAborted } from "../../sharing/unless-aborted.ts";

/** Stands for a Host header that is missing or no host at all; the API refuses it. */
const NO_HOST = "host.invalid";

/** Stands for a method that fetch has no requests of; no path takes it, as none takes that. */
const NO_METHOD = "NONE";

/** @throws TypeError for a target that is neither a path nor an absolute URL of HTTP */
export function toRequest(incoming: IncomingMessage, signal: AbortSignal): Request {
  const headers = new Headers();
  for (let i = 0; i + 1 < incoming.rawHeaders.length; i += 2) {
    headers.append(incoming.rawHeaders[i] ?? "", incoming.rawHeaders[i + 1] ?? "");
  }
  const { authority, path } = splitTarget(incoming.url ?? "/");
  if (authority !== undefined) headers.set("host", authority);
  const method = incoming.method === "TRACE" ? NO_METHOD : (incoming.method ?? "GET");
  const init: RequestInit = { method, headers, signal };
  if (hasBody(incoming)) {
    init.body = ReadableStream.from<Uint8Array>(bodyOf(incoming, signal));
    init.duplex = "half";
  }
  const scheme = incoming.socket instanceof TLSSocket ? "https" : "http";
  return new Request(requestUrl(scheme, headers.get("host") ?? "", path), init);
}

/** Ends with the signal, whatever the client still owes. */
async function* bodyOf(incoming: IncomingMessage, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const pieces = incoming.iterator({ destroyOnReturn: false });
  try {
    for (;;) {
      const next = await unlessAborted(pieces.next(), signal);
      if (next.done) return;
      yield next.value;
    }
  } finally {
    // Behind a piece that may never come.
    pieces.return?.().catch(() => undefined);
  }
}

/** Who a target in absolute form names is who is asked, whatever the Host header says (RFC 9112, 3.2.2). */
function splitTarget(target: string): { authority?: string; path: string } {
  if (target.startsWith("/")) return { path: target };
  const [, authority, path = ""] = /^https?:\/\/([^/?#]*)(.*)$/i.exec(target) ?? [];
  if (authority === undefined) throw new TypeError("the request target is neither a path nor a URL");
  return { authority, path: path.startsWith("/") ? path : `/${path}` };
}

function requestUrl(scheme: "http" | "https", host: string, path: string): string {
  const isHost = /^[^/?#@\\\s]+$/.test(host) && URL.canParse(`${scheme}://${host}`);
  return `${scheme}://${isHost ? host : NO_HOST}${path}`;
}

/** RFC 9112, 6.3: a request has a body when one of these headers says so. fetch allows none for GET and HEAD. */
function hasBody({ method, headers }: IncomingMessage): boolean {
  if (method === "GET" || method === "HEAD") return false;
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}
