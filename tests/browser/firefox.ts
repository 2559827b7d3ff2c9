/**
 * Firefox on the built page, each page with a storage of its own. Used by the tests of the second engine; calls
 * puppeteer, which speaks WebDriver BiDi to Debian's firefox-esr. Nothing but loopback is contacted.
 */
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, type BrowserContext, launch, type Page } from "puppeteer-core";
import { type DrivenPage, OpenPage } from "./open-page.ts";

const EXECUTABLE = "/usr/bin/firefox-esr";

export const HAS_FIREFOX = existsSync(EXECUTABLE);

/** What a suite's title says where its tests don't run. */
export const WHY_SKIPPED = HAS_FIREFOX ? "" : ` (skipped: there is no ${EXECUTABLE} here)`;

/** Addresses as they are, in place of names that only mDNS resolves: tests ask nobody on the network. */
const PREFERENCES = { "media.peerconnection.ice.obfuscate_host_addresses": false };

/** `evaluate` is the same; puppeteer's type of it, made for handles of objects, can't be held against another. */
type PuppeteerPage = Omit<Page, "evaluate" | "on"> & DrivenPage;

export type FirefoxPage = OpenPage<PuppeteerPage, BrowserContext>;

export class Firefox implements AsyncDisposable {
  /** Where it keeps what is saved. */
  readonly downloads: string;
  readonly #browser: Browser;

  private constructor(browser: Browser, downloads: string) {
    this.#browser = browser;
    this.downloads = downloads;
  }

  /** `preferences`: what a person has set beside what tests always set. */
  static async launch(preferences: Record<string, unknown> = {}): Promise<Firefox> {
    const downloads = await mkdtemp(join(tmpdir(), "shoal-firefox-"));
    const saving = {
      "browser.download.folderList": 2,
      "browser.download.dir": downloads,
      // Its list of what is saved takes the keys from the page.
      "browser.download.alwaysOpenPanel": false,
    };
    const extraPrefsFirefox = { ...PREFERENCES, ...saving, ...preferences };
    const options = { executablePath: EXECUTABLE, extraPrefsFirefox };
    return new Firefox(await launch({ browser: "firefox", ...options }), downloads);
  }

  /** A page with its own storage, whose node runs. */
  async open(url: string): Promise<FirefoxPage> {
    const opened = await this.openBare(url);
    await opened.ready();
    return opened;
  }

  /** The same for a page that need not be ours. */
  async openBare(url: string): Promise<FirefoxPage> {
    const context = await this.#browser.createBrowserContext();
    const page = (await context.newPage()) as unknown as PuppeteerPage;
    const opened = new OpenPage(context, page);
    await page.goto(url);
    return opened;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
    await rm(this.downloads, { recursive: true });
  }
}
