/**
 * Requests of a test, made by tabs of a page's origin: so the service worker gets them as from any code of that origin.
 * Called by the page's conformance suite and its attacks; calls playwright. Bodies go over as base64; answers stream back
 * as they come, but for JSON, which most are: it comes at once.
 */
import type { BrowserContext, Page } from "playwright";

/** A file of the page in which no app runs. */
const BARE_PATH = "/icons/shoal.svg";

/** Makes requests from one bare tab after another, of which none makes more than it may in a minute. */
export class BareTabs {
  readonly #context: BrowserContext;
  readonly #origin: string;
  readonly #requestsPerTab: number;
  #tab: Promise<Page> | undefined;
  #made = 0;

  constructor(
    context: BrowserContext,
    { origin, requestsPerTab }: { origin: string; requestsPerTab: number },
  ) {
    this.#context = context;
    this.#origin = origin;
    this.#requestsPerTab = requestsPerTab;
  }

  async fetch(request: Request, { isStream = false } = {}): Promise<Response> {
    if (this.#tab === undefined || this.#made === this.#requestsPerTab) {
      this.#tab = this.#open();
      this.#made = 0;
    }
    this.#made++;
    return fetchFrom(await this.#tab, request, { isStream });
  }

  async #open(): Promise<Page> {
    const tab = await this.#context.newPage();
    await tab.goto(this.#origin + BARE_PATH);
    return tab;
  }
}

declare global {
  interface Window {
    /** Bodies of answers that are read piece by piece, in the order of their answers. */
    openBodies: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>[];
  }
}

/** `isStream`: the tab sends the body as a stream, and otherwise as a Blob. */
async function fetchFrom(
  tab: Page,
  request: Request,
  { isStream }: { isStream: boolean },
): Promise<Response> {
  const { method, url } = request;
  const sent = {
    ...{ method, url, isStream },
    headers: [...request.headers],
    body: request.body === null ? null : Buffer.from(await request.arrayBuffer()).toString("base64"),
  };
  const { status, headers, json, body } = await tab.evaluate(async (sent) => {
    const letters = atob(sent.body ?? "");
    const bytes = new Uint8Array(letters.length);
    // Uint8Array.from takes twenty times as long for it.
    for (let at = 0; at < bytes.length; at++) bytes[at] = letters.charCodeAt(at);
    const blob = sent.body === null ? null : new Blob([bytes]);
    const body = sent.isStream && blob !== null ? blob.stream() : blob;
    const init = { method: sent.method, headers: sent.headers as [string, string][], body, duplex: "half" };
    const response = await fetch(sent.url, init);
    const told = { status: response.status, headers: [...response.headers] as [string, string][] };
    const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
    if (isJson) return { ...told, json: await response.text(), body: undefined };
    if (response.body === null) return { ...told, json: undefined, body: undefined };
    window.openBodies ??= [];
    return { ...told, json: undefined, body: window.openBodies.push(response.body.getReader()) - 1 };
  }, sent);
  const hasBody = body !== undefined && status !== 304;
  return new Response(json ?? (hasBody ? streamOf(tab, body) : null), { status, headers });
}

/** A body of that number in a tab, read there when it is read here. */
function streamOf(tab: Page, body: number): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const piece = await tab.evaluate(async (body) => {
        const { value } = (await window.openBodies[body]?.read()) ?? {};
        if (value === undefined) return undefined;
        let letters = "";
        for (const byte of value) letters += String.fromCharCode(byte);
        return btoa(letters);
      }, body);
      if (piece === undefined) controller.close();
      else controller.enqueue(Buffer.from(piece, "base64"));
    },
    cancel: () => tab.evaluate((body) => window.openBodies[body]?.cancel(), body),
  });
}
