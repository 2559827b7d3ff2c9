/**
 * The screens in Chromium beside real headless nodes: this person's node, others that it knows, and a page for each test.
 * Used by the ui tests; calls playwright, axe and ui-server. Nothing but loopback is contacted.
 */
import { createRequire } from "node:module";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright";
import { type ShoalProcess, Shoals } from "../interop/shoal-process.ts";
import { serveUi, type UiServer } from "./ui-server.ts";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

export class UiSession implements AsyncDisposable {
  /** The node behind the page. */
  readonly own: ShoalProcess;
  /** Another person's. */
  readonly other: ShoalProcess;
  readonly #shoals: Shoals;
  readonly #server: UiServer;
  readonly #browser: Browser;

  private constructor(
    own: ShoalProcess,
    other: ShoalProcess,
    shoals: Shoals,
    server: UiServer,
    browser: Browser,
  ) {
    this.own = own;
    this.other = other;
    this.#shoals = shoals;
    this.#server = server;
    this.#browser = browser;
  }

  /** `otherFlags` are of the other node, such as how fast it sends. */
  static async start(otherFlags: string[] = []): Promise<UiSession> {
    const shoals = new Shoals();
    try {
      const own = await shoals.start();
      const other = await shoals.start({ bootstrap: [own], flags: otherFlags });
      const server = await serveUi(own);
      const browser = await chromium.launch({
        executablePath: "/usr/bin/chromium",
        args: [
          "--no-sandbox",
          "--no-first-run",
          "--disable-background-networking",
          "--disable-component-update",
        ],
      });
      return new UiSession(own, other, shoals, server, browser);
    } catch (error) {
      await shoals[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** A new page, with its node met, on the screen of the fragment. */
  async open(fragment: string, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.#browser.newContext({
      reducedMotion: "reduce",
      permissions: ["clipboard-read", "clipboard-write"],
      ...options,
    });
    const page = await context.newPage();
    await page.goto(this.#server.url + fragment);
    await page.locator(".status-line.running").waitFor();
    return page;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
    await this.#server.close();
    await this.#shoals[Symbol.asyncDispose]();
  }
}

export const PHONE = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true } as const;

/** What axe finds against WCAG 2.2 AA and its own best practices, one line each. */
export async function axeViolations(page: Page): Promise<string[]> {
  await page.addScriptTag({ path: AXE });
  return await page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run(): Promise<AxeResult> } };
    const { violations } = await axe.run();
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`);
  });
}

interface AxeResult {
  violations: { id: string; nodes: { html: string }[] }[];
}

/** CSS pixels that the page is wider than its window. */
export async function sidewaysPixels(page: Page): Promise<number> {
  return await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
}
