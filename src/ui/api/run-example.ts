/** Runs an example through the page's own way to the node and gives its answer as text, refusals too. Called by examples. */
import type { UiHost } from "../ports.ts";
import { messageOf } from "../state/toasts.ts";
import type { Example } from "./example-texts.ts";

export interface Outcome {
  /** Such as `200 OK`. */
  status: string;
  isRefusal: boolean;
  text: string;
  tookMs: number;
}

/** Characters of an answer that are drawn: a screenful of JSON. */
const MAX_ANSWER_CHARS = 20_000;

/** RFC 9110, section 15. An answer that comes from inside the page has none of its own. */
const STATUS_NAMES: Record<number, string> = {
  200: "OK",
  201: "Created",
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  409: "Conflict",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable",
  507: "Insufficient Storage",
};

export async function runExample(host: UiHost, { method, path, body }: Example): Promise<Outcome> {
  const start = performance.now();
  try {
    const headers = new Headers({ authorization: `Bearer ${await host.apiKey()}` });
    if (body !== undefined) headers.set("content-type", body.type);
    const init: RequestInit = { method, headers, ...(body !== undefined && { body: body.text }) };
    const response = await host.fetch(new Request(host.apiOrigin + path, init));
    const text = indented(await response.text());
    const tookMs = performance.now() - start;
    const status = `${response.status} ${STATUS_NAMES[response.status] ?? ""}`.trim();
    return { status, isRefusal: !response.ok, text: text.slice(0, MAX_ANSWER_CHARS), tookMs };
  } catch (error) {
    const tookMs = performance.now() - start;
    return { status: "No answer", isRefusal: true, text: messageOf(error), tookMs };
  }
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    // Something between page and node may answer with no JSON; it is shown as it came.
    return text;
  }
}
