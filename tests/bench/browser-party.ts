/**
 * One person of the page's benchmarks: a Chromium of its own with its profile on the disk, as people have it, and the
 * built page in it. What a browser without a profile keeps in memory is kept on the disk here. Used by browser*.ts.
 */
import { join } from "node:path";
import { type BrowserContext, chromium, type Page } from "playwright";
import { CHROMIUM } from "../browser/chromium.ts";
import { OpenPage } from "../browser/open-page.ts";
import { until } from "../interop/until.ts";
import { browserProcesses } from "./browser-processes.ts";

export class BrowserParty implements AsyncDisposable {
  /** The folder of the profile, which tells the browser's processes from others. */
  readonly profile: string;
  readonly opened: OpenPage;

  private constructor(profile: string, opened: OpenPage) {
    this.profile = profile;
    this.opened = opened;
  }

  /** `prepare` is called with an empty page. */
  static async open(
    folder: string,
    name: string,
    url: string,
    prepare?: (page: Page, profile: string) => Promise<void>,
  ): Promise<BrowserParty> {
    const profile = join(folder, name);
    // What the benchmark puts into the page beside it is not the page's own.
    const context: BrowserContext = await chromium.launchPersistentContext(profile, {
      ...CHROMIUM,
      bypassCSP: true,
    });
    const [page = await context.newPage()] = context.pages();
    const opened = new OpenPage(context, page);
    await prepare?.(page, profile);
    await page.goto(url);
    await opened.ready();
    return new BrowserParty(profile, opened);
  }

  get page(): Page {
    return this.opened.page;
  }

  /** Settles once the page knows of the file. Looks seldom, for these requests are counted. */
  async knows(fileId: string): Promise<void> {
    const knows = async () => {
      const { files } = await this.opened.api<{ files: { id: string }[] }>("files/network");
      return files.some(({ id }) => id === fileId);
    };
    await until("the page knows of the file", knows, 120_000, 1000);
  }

  /** @throws Error when it does not complete */
  async download(fileId: string): Promise<void> {
    const { event } = await this.opened.download(fileId);
    if (event !== "transfer_complete") throw new Error(`the download ended with ${event}`);
  }

  async delete(fileId: string): Promise<void> {
    await this.opened.api(`files/${fileId}`, "DELETE");
  }

  /** Processor time of all processes of the browser so far. */
  async cpuSeconds(): Promise<number> {
    return (await browserProcesses(this.profile)).reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.opened[Symbol.asyncDispose]();
  }
}
