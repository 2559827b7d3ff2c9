/**
 * The screens in Chromium beside real headless nodes: this person's node, others that it knows, and pages that the tests of
 * a file share. Used by the ui tests; calls chromium and ui-server. Nothing but loopback is contacted.
 */
import type { Browser, BrowserContextOptions, Page } from "playwright";
import { type ShoalProcess, Shoals } from "../interop/shoal-process.ts";
import { launchChromium } from "./chromium.ts";
import { serveUi, type UiServer } from "./ui-server.ts";

export class UiSession implements AsyncDisposable {
  /** The node behind the pages. */
  readonly own: ShoalProcess;
  readonly #shoals: Shoals;
  readonly #server: UiServer;
  readonly #browser: Browser;
  /** One for each kind of device, which is JSON. */
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

  /** The screen of the fragment as a first visit on such a device shows it, with its node met. */
  async open(fragment: string, device: BrowserContextOptions = {}): Promise<Page> {
    const page = await this.#emptyPage(device);
    await page.goto(this.#server.url + fragment);
    await page.locator(".status-line.running").waitFor();
    return page;
  }

  /** Nothing is left in it of the test before, but for the cost of a window. */
  async #emptyPage(device: BrowserContextOptions): Promise<Page> {
    const kind = JSON.stringify(device);
    const used = this.#pages.get(kind);
    if (used === undefined) {
      const context = await this.#browser.newContext({
        reducedMotion: "reduce",
        permissions: ["clipboard-read", "clipboard-write"],
        ...device,
      });
      const page = await context.newPage();
      this.#pages.set(kind, page);
      return page;
    }
    await used.unrouteAll({ behavior: "ignoreErrors" });
    await used.evaluate(() => localStorage.clear());
    await used.goto("about:blank");
    await used.setViewportSize(device.viewport ?? DESKTOP);
    return used;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
    await this.#server.close();
    await this.#shoals[Symbol.asyncDispose]();
  }
}

/** The window that playwright gives a page that asks for none. */
const DESKTOP = { width: 1280, height: 720 };

export const PHONE = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true } as const;
