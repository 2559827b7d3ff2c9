/**
 * The screens in Chromium beside real headless nodes: this person's node, others that it knows, and pages that the tests of
 * a file share. Used by the ui tests; calls chromium and ui-server. Nothing but loopback is contacted.
 */
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright";
import { onTestFinished } from "vitest";
import { TOAST_LIFETIME_MS } from "../../src/ui/limits.ts";
import { type ShoalProcess, Shoals } from "../interop/shoal-process.ts";
import { launchChromium } from "./chromium.ts";
import { serveUi, type UiServer } from "./ui-server.ts";

export class UiSession implements AsyncDisposable {
  /** The node behind the pages. */
  readonly own: ShoalProcess;
  readonly #shoals: Shoals;
  readonly #server: UiServer;
  readonly #browser: Browser;
  /** One for each kind of device, which is JSON; blank between tests. */
  readonly #pages = new Map<string, Page>();

  private constructor(own: ShoalProcess, shoals: Shoals, server: UiServer, browser: Browser) {
    this.own = own;
    this.#shoals = shoals;
    this.#server = server;
    this.#browser = browser;
  }

  /** `flags`: what this person's node is told beside what tests always tell. */
  static async start(flags: string[] = []): Promise<UiSession> {
    const shoals = new Shoals();
    try {
      const own = await shoals.start({ flags });
      const [server, browser] = await Promise.all([serveUi(own), launchChromium()]);
      return new UiSession(own, shoals, server, browser);
    } catch (error) {
      await shoals[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Another person's node, which knows this one. `flags` may say how fast it sends. */
  startOther(flags: string[]): Promise<ShoalProcess> {
    return this.#shoals.start({ bootstrap: [this.own], flags });
  }

  /** The screen of the fragment as a first visit on such a device shows it, with its node met, until the test is over. */
  async open(fragment: string, { viewport, colorScheme, ...device }: Device = {}): Promise<Page> {
    const page = await this.#pageOf(device);
    await leave(page);
    await page.setViewportSize(viewport ?? DESKTOP);
    await page.emulateMedia({ colorScheme: colorScheme ?? null });
    onTestFinished(() => leave(page));
    return await this.#show(page, fragment);
  }

  /** The same in a window that no other test sees: what is done to it can't be undone. */
  async openAlone(fragment: string): Promise<Page> {
    const context = await this.#newContext(WINDOW);
    onTestFinished(() => context.close());
    return await this.#show(await context.newPage(), fragment);
  }

  async #show(page: Page, fragment: string): Promise<Page> {
    await page.goto(this.#server.url + fragment);
    await page.locator(".status-line.running").waitFor();
    return page;
  }

  async #pageOf(device: BrowserContextOptions): Promise<Page> {
    const kind = JSON.stringify(device);
    const used = this.#pages.get(kind);
    if (used !== undefined) return used;
    const context = await this.#newContext({ ...WINDOW, ...device });
    const page = await context.newPage();
    this.#pages.set(kind, page);
    return page;
  }

  async #newContext(options: BrowserContextOptions): Promise<BrowserContext> {
    const context = await this.#browser.newContext(options);
    await context.addInitScript(keepToasts, TOAST_LIFETIME_MS);
    return context;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
    await this.#server.close();
    await this.#shoals[Symbol.asyncDispose]();
  }
}

/** Nothing is left in it of the test, which is cheaper than a window, nor does it go on asking its node. */
async function leave(page: Page): Promise<void> {
  if (page.isClosed() || page.url() === "about:blank") return;
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.evaluate(() => localStorage.clear());
  await page.goto("about:blank");
}

/** Called in a page: no toast goes by itself, so that no test has to be faster than it. */
function keepToasts(lifetimeMs: number): void {
  const { setTimeout } = window;
  window.setTimeout = ((run: TimerHandler, ms?: number, ...given: unknown[]) =>
    ms === lifetimeMs ? 0 : setTimeout(run, ms, ...given)) as typeof setTimeout;
}

/** A window of the same kind has any size and either colour scheme in its turn. */
type Device = Pick<BrowserContextOptions, "viewport" | "colorScheme" | "isMobile" | "hasTouch" | "locale">;

const WINDOW: BrowserContextOptions = {
  reducedMotion: "reduce",
  permissions: ["clipboard-read", "clipboard-write"],
};

const DESKTOP = { width: 1280, height: 720 };

export const PHONE = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true } as const;
