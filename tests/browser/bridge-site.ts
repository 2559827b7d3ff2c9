/** Builds the bridge's test page with the real service worker, serves it on loopback, and opens it in Chromium. */
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright";
import { build } from "vite";
import { VitePWA } from "vite-plugin-pwa";
import { until } from "../interop/until.ts";
import { builtPage } from "./built-pages.ts";
import { launchChromium } from "./chromium.ts";

const ROOT = join(import.meta.dirname, "bridge-page");

const MEDIA_TYPES: Record<string, string> = { ".html": "text/html", ".js": "text/javascript" };

function buildPage(version: string, outDir: string): Promise<unknown> {
  return build({
    configFile: false,
    logLevel: "error",
    root: ROOT,
    define: { __PAGE_VERSION__: JSON.stringify(version) },
    plugins: [
      VitePWA({
        strategies: "injectManifest",
        srcDir: "../../../sw",
        filename: "sw.ts",
        outDir,
        injectRegister: false,
        manifest: false,
        injectManifest: { globPatterns: ["**/*.{html,js}"], globIgnores: ["sw.js"], rollupFormat: "iife" },
      }),
    ],
    build: { target: "chrome119", outDir, emptyOutDir: true },
  });
}

export class BridgeSite {
  readonly origin: string;
  readonly #server: ReturnType<typeof createServer>;
  readonly #folders: string[];
  readonly #browser: Browser;
  #folder: string | undefined;
  readonly #held = new Map<string, Promise<void>>();
  /** What is answered at a path in place of its file, until it is taken out. */
  readonly instead = new Map<string, { text: string; headers?: Record<string, string> }>();

  private constructor(server: ReturnType<typeof createServer>, folders: string[], browser: Browser) {
    this.#server = server;
    this.#folders = folders;
    this.#browser = browser;
    this.#folder = folders[0];
    this.origin = `http://localhost:${(server.address() as AddressInfo).port}`;
    server.on("request", (request, response) => void this.#answer(request, response));
  }

  static async open(...versions: string[]): Promise<BridgeSite> {
    const folders: string[] = [];
    for (const version of versions) {
      folders.push(await builtPage(`bridge-${version}`, (outDir) => buildPage(version, outDir)));
    }
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new BridgeSite(server, folders, await launchChromium());
  }

  /** A browser profile of its own. */
  async newProfile(): Promise<BrowserContext> {
    return await this.#browser.newContext({ acceptDownloads: true });
  }

  /** Serves another of the builds from now on. */
  serve(index: number): void {
    this.#folder = this.#folders[index];
  }

  /** Has no file of the page from now on. Settles when it was asked for one. */
  serveNothing(): Promise<void> {
    this.#folder = undefined;
    return new Promise((resolve) => this.#server.once("request", () => resolve()));
  }

  /** Keeps those waiting who ask for that path, until the function returned is called. */
  hold(path: string): () => void {
    let release!: () => void;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.#held.set(path, held);
    return () => {
      this.#held.delete(path);
      release();
    };
  }

  async close(): Promise<void> {
    await this.#browser.close();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Files of the page. */
  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? "/", this.origin);
    const path = pathname === "/" ? "/index.html" : pathname;
    await this.#held.get(path);
    const other = this.instead.get(path);
    if (other !== undefined) {
      response.writeHead(200, other.headers).end(other.text);
      return;
    }
    try {
      if (this.#folder === undefined) throw new Error("nothing is served");
      const bytes = await readFile(join(this.#folder, path));
      response.setHeader("content-type", MEDIA_TYPES[extname(path)] ?? "application/octet-stream");
      response.setHeader("cache-control", "no-cache");
      response.end(bytes);
    } catch {
      response.statusCode = 404;
      response.end("no such file");
    }
  }
}

/** Opens the page and waits until the worker controls it and its leader leads. */
export async function openTab(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(url);
  await page.evaluate(() => window.bridgePage.worker.controls());
  const isAnswered = () => page.evaluate(async () => (await fetch("/api/v1/who")).ok);
  await until("a leader answers", isAnswered);
  return page;
}

/** Resolves once the page's app saw what is named. */
export async function saw(page: Page, what: string): Promise<void> {
  await page.waitForFunction((entry) => window.bridgePage.seen.includes(entry), what);
}

/** Which tab answers, asked through the worker. */
export async function who(
  page: Page,
): Promise<{ tab: string; client: { address: string; inProcess?: boolean } }> {
  return await page.evaluate(async () => await (await fetch("/api/v1/who")).json());
}

export async function tabOf(page: Page): Promise<string> {
  return await page.evaluate(() => window.bridgePage.tab);
}
