/**
 * The built page in Chromium, as a person would open it: a headless node serves it and relays, each page has a storage of
 * its own. Used by the tests and benchmarks of the page; calls chromium. Nothing but loopback is contacted.
 */
import type { Browser, BrowserContext, Page } from "playwright";
import type {} from "../../src/browser/page-global.ts";
import { type ShoalOptions, type ShoalProcess, Shoals } from "../interop/shoal-process.ts";
import { until } from "../interop/until.ts";
import { launchChromium } from "./chromium.ts";
import { type NodeEvent, provideNodeEvents } from "./node-events.ts";

/** A host of the page with a browser. When disposed, it ends both, and removes what they kept. */
export class PageSite implements AsyncDisposable {
  /** Serves the page, relays, and is a peer itself. */
  readonly host: ShoalProcess;
  readonly shoals: Shoals;
  readonly #browser: Browser;

  private constructor(host: ShoalProcess, shoals: Shoals, browser: Browser) {
    this.host = host;
    this.shoals = shoals;
    this.#browser = browser;
  }

  /** `browserFlags`: what Chromium is told beside what it always is. */
  static async start(options: ShoalOptions = {}, browserFlags: string[] = []): Promise<PageSite> {
    const shoals = new Shoals();
    try {
      const [host, browser] = await Promise.all([
        startHost(shoals, options),
        launchChromium(...browserFlags),
      ]);
      return new PageSite(host, shoals, browser);
    } catch (error) {
      await shoals[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** A page with its own storage, whose node runs. */
  async open(path = "/"): Promise<OpenPage> {
    const opened = await this.openUnready(path);
    await opened.ready();
    return opened;
  }

  /** The same without waiting for its node. `prepare` is called before anything is loaded. */
  async openUnready(
    path = "/",
    {
      origin = this.host.pageUrl,
      prepare,
    }: { origin?: string; prepare?: (page: Page) => Promise<void> } = {},
  ): Promise<OpenPage> {
    const context = await this.#browser.newContext();
    await context.addInitScript(holdKeeping);
    const page = await context.newPage();
    const opened = new OpenPage(context, page);
    await prepare?.(page);
    await page.goto(new URL(path, origin).href);
    return opened;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
    await this.shoals[Symbol.asyncDispose]();
  }
}

/** A headless node that serves the page, on every transport that a page may dial. */
export function startHost(shoals: Shoals, options: ShoalOptions = {}): Promise<ShoalProcess> {
  const flags = [
    ...["--web-port", "0", "--relay"],
    ...["--listen", "/ip4/127.0.0.1/tcp/0/ws", "--listen", "/ip4/127.0.0.1/udp/0/webrtc-direct"],
  ];
  return shoals.start({ ...options, flags: [...flags, ...(options.flags ?? [])] });
}

/** Paths of all that the service worker keeps. */
export function keptPaths(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const kept = await Promise.all((await caches.keys()).map((name) => caches.open(name)));
    const requests = await Promise.all(kept.map((cache) => cache.keys()));
    return requests.flat().map(({ url }) => new URL(url).pathname);
  });
}

/** Whether all files of the page are kept for use without a network: the page itself is the last. */
export async function hasKept(page: Page): Promise<boolean> {
  return (await keptPaths(page)).includes("/index.html");
}

declare global {
  interface Window {
    /** Lets a page of PageSite keep its files. */
    keepFiles?: () => void;
  }
}

/**
 * Called in a page: its files are kept no sooner than a test asks for it. It costs the processor more than to open the
 * page, which is there for a moment in most tests.
 */
function holdKeeping(): void {
  // An insecure origin has none.
  if (!("ServiceWorker" in window)) return;
  const asked = new Promise<void>((resolve) => {
    window.keepFiles = resolve;
  });
  const { postMessage } = ServiceWorker.prototype;
  ServiceWorker.prototype.postMessage = async function (...message: unknown[]) {
    if ((message[0] as { type?: string }).type === "keep-files") await asked;
    Reflect.apply(postMessage, this, message);
  };
}

/** Has all of them kept; settles when they are, which takes a page some seconds. */
export async function allKept(page: Page): Promise<void> {
  await page.evaluate(() => window.keepFiles?.());
  await until("the page's files are kept", () => hasKept(page), 60_000);
}

/** Events that a transfer ends with. */
export const ENDS = ["transfer_complete", "transfer_failed"];

/** What is asked of a page's driver: playwright for Chromium, puppeteer for Firefox. */
export interface DrivenPage {
  evaluate<R, A = undefined>(run: (argument: A) => R | Promise<R>, argument?: A): Promise<R>;
  on(event: "pageerror", heard: (error: Error) => void): unknown;
  on(event: "console", heard: (message: { type(): string; text(): string }) => void): unknown;
}

/** What browsers themselves say of every address at which nobody takes a WebSocket. */
const UNREACHABLE = /^WebSocket connection to |can’t establish a connection to the server at ws/;

/** A page under test, and its API as code of its own origin calls it: through the service worker. */
export class OpenPage<P extends DrivenPage = Page, C extends { close(): Promise<void> } = BrowserContext>
  implements AsyncDisposable
{
  readonly context: C;
  readonly page: P;
  /** Errors that nobody caught, and lines of the console at the level of errors. */
  readonly complaints: string[] = [];

  constructor(context: C, page: P) {
    this.context = context;
    this.page = page;
    page.on("pageerror", (error) => this.complaints.push(error.stack ?? error.message));
    page.on("console", (message) => {
      if (message.type() === "error" && !UNREACHABLE.test(message.text()))
        this.complaints.push(message.text());
    });
  }

  /** Settles when the service worker controls the page and a node runs. */
  async ready(): Promise<void> {
    await this.page.evaluate(() => window.shoal.ready);
  }

  /** `path` beneath /api/v1. @throws when the answer is a refusal */
  async api<T>(path: string, method = "GET", json?: unknown): Promise<T> {
    const { status, body } = await this.call(`/api/v1/${path}`, method, json);
    if (status >= 400) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(body)}`);
    return body as T;
  }

  async call(path: string, method = "GET", json?: unknown): Promise<{ status: number; body: unknown }> {
    return this.page.evaluate(
      async ({ path, method, json }) => {
        const headers = new Headers({ Authorization: `Bearer ${await window.shoal.apiKey()}` });
        if (json !== undefined) headers.set("Content-Type", "application/json");
        const body = json === undefined ? null : JSON.stringify(json);
        const response = await fetch(path, { method, headers, body });
        return { status: response.status, body: await response.json() };
      },
      { path, method, json },
    );
  }

  /** Shares random bytes; gives the file's id and the SHA-256 of the bytes in hexadecimal. */
  async shareRandom(sizeBytes: number, name = "file.bin"): Promise<{ fileId: string; sha256: string }> {
    return this.page.evaluate(
      async ({ sizeBytes, name }) => {
        const bytes = new Uint8Array(sizeBytes);
        // The most that one call gives.
        const step = 65_536;
        for (let at = 0; at < sizeBytes; at += step) crypto.getRandomValues(bytes.subarray(at, at + step));
        const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
        const response = await fetch(`/api/v1/files?name=${encodeURIComponent(name)}`, {
          method: "POST",
          headers: {
            Authorization: `Bearer ${await window.shoal.apiKey()}`,
            "Content-Type": "application/octet-stream",
          },
          body: new Blob([bytes]),
        });
        if (!response.ok) throw new Error(`sharing: ${response.status} ${await response.text()}`);
        const { file_id: fileId } = await response.json();
        const sha256 = [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
        return { fileId, sha256 };
      },
      { sizeBytes, name },
    );
  }

  /** SHA-256 of a file's content as the API serves it, in hexadecimal. */
  async contentHash(fileId: string): Promise<string> {
    return this.page.evaluate(async (id) => {
      const response = await fetch(`/api/v1/files/${id}/content`, {
        headers: { Authorization: `Bearer ${await window.shoal.apiKey()}` },
      });
      const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", await response.arrayBuffer()));
      return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    }, fileId);
  }

  /**
   * Settles with the first event of the transfer, now or earlier in the node's run, that is one of those named and tells
   * of this progress or more, if it tells of any.
   */
  async transferEvent(transferId: string, names: string[], { progress = 0 } = {}): Promise<NodeEvent> {
    await provideNodeEvents(this.page);
    return this.page.evaluate(
      async ({ transferId, names, progress }) => {
        for await (const { event, data } of window.nodeEvents("0")) {
          if (!names.includes(event) || data.transfer_id !== transferId) continue;
          if ((data.progress ?? 1) >= progress) return { event, data };
        }
        throw new Error("the event stream ended before the event");
      },
      { transferId, names, progress },
    );
  }

  /** Downloads into the chunk store; settles when the transfer has ended. */
  async download(fileId: string): Promise<{ transferId: string; event: string }> {
    const { transfer_id: transferId } = await this.api<{ transfer_id: string }>(
      "transfers/download",
      "POST",
      { file_id: fileId },
    );
    const end = await this.transferEvent(transferId, ENDS);
    return { transferId, event: end.event };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.context.close();
  }
}
