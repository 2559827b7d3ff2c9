/**
 * One request to the node: key, query and body put in, the answer's JSON taken out, refusals thrown as ShoalError. Called by
 * client, vx-client and events.
 */
import { holds, type Members } from "./answer-checks.ts";
import { createLiveFetch } from "./live-fetch.ts";
import { jsonObject, ShoalError } from "./shoal-error.ts";

/** Of both clients. */
export interface ClientOptions {
  apiKey?: string | undefined;
  /** Stands in for the global fetch; `init` has the request's own signal, and its body where that is a Blob, or nothing. */
  fetch?: ((request: Request, init: Pick<RequestInit, "body" | "signal">) => Promise<Response>) | undefined;
}

interface SendOptions {
  query?: Record<string, string | number | boolean | undefined>;
  headers?: Record<string, string>;
  json?: object;
  body?: string | Blob | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;
  signal?: AbortSignal | undefined;
}

/** The answer, if it is no refusal. @throws ShoalError */
export type Send = (method: string, path: string, options?: SendOptions) => Promise<Response>;

/** The answer's JSON, an object with these members. @throws ShoalError, with the code `bad_answer` for any other answer */
export type Ask = <T extends object>(
  members: NoInfer<Members<T>>,
  ...request: Parameters<Send>
) => Promise<T>;

export function createAsk(baseUrl: string, send: Send): Ask {
  return async <T extends object>(members: Members<T>, ...request: Parameters<Send>) => {
    const response = await send(...request);
    const text = await response.text();
    const answer = jsonObject(text);
    if (answer !== undefined && holds(members)(answer)) return answer as T;
    const place = `${request[0]} ${originOf(baseUrl)}${request[1]}`;
    const fault = answer === undefined ? "is no JSON object" : "no node answers there";
    throw ShoalError.badAnswer(place, response.status, fault, text);
  };
}

/** @throws TypeError for what is no URL of a server */
export function createSend(baseUrl: string, { apiKey, fetch: sender }: ClientOptions): Send {
  checkUrl(baseUrl);
  const origin = originOf(baseUrl);
  const send = sender ?? createLiveFetch();
  return async (method, path, { query = {}, headers = {}, json, body, signal } = {}) => {
    const all = new Headers(headers);
    if (apiKey !== undefined) setKey(all, apiKey);
    if (json !== undefined) all.set("content-type", "application/json");
    else if (body !== undefined && !all.has("content-type")) {
      all.set("content-type", "application/octet-stream");
    }
    // `duplex` is asked for by fetch where the body is a stream, and missing in the types.
    const init: RequestInit & { duplex: "half" } = { method, headers: all, duplex: "half" };
    const sent = json === undefined ? body : JSON.stringify(json);
    if (sent !== undefined) init.body = sent;
    if (signal !== undefined) init.signal = signal;
    const request = new Request(origin + path + queryText(query), init);
    const response = await send(request, {
      // The one in a request is deaf once that is collected as garbage (nodejs/undici#4068).
      ...(signal !== undefined && { signal }),
      // Out of a request it is a copy in some engines.
      ...(sent instanceof Blob && { body: sent }),
    });
    if (response.ok) return response;
    throw await ShoalError.from(response);
  };
}

/** @throws TypeError without the key, which what Headers throws has in it: errors end in logs. */
function setKey(headers: Headers, apiKey: string): void {
  try {
    headers.set("authorization", `Bearer ${apiKey}`);
  } catch {
    throw new TypeError("The API key has characters that no header can hold");
  }
}

/**
 * What has no scheme, such as `localhost:8081`, would fail at the first request only, with a reason that does not name
 * it, or in a page go to the page's own server. There a path of that server is a URL.
 */
function checkUrl(baseUrl: unknown): void {
  if (typeof baseUrl !== "string")
    throw new TypeError("The server's URL is a text such as http://127.0.0.1:8081");
  const isOther = /^[^/]*:/.test(baseUrl) && !/^https?:/i.test(baseUrl);
  if (!isOther && !/[?#]/.test(baseUrl) && isRequested(`${originOf(baseUrl)}/`)) return;
  // Errors end in logs.
  const shown = JSON.stringify(baseUrl.replace(/[^/]*@/, "...@"));
  throw new TypeError(`${shown} is no URL such as http://127.0.0.1:8081`);
}

function isRequested(url: string): boolean {
  try {
    return new Request(url) !== undefined;
  } catch {
    return false;
  }
}

function originOf(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, "");
}

function queryText(query: NonNullable<SendOptions["query"]>): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
}
