/**
 * A page that strangers attack: its API as code of its origin has it, however often that asks, and what every attack must
 * leave behind. Called by the attacks in the page; calls open-page and page-requests.
 */
import { expect } from "vitest";
import { REQUESTS_PER_MINUTE } from "../../src/browser/limits.ts";
import { ShoalClient } from "../../src/client/client.ts";
import type { HostileNode } from "../attacks/hostile-node.ts";
import type { OpenPage, PageSite } from "./open-page.ts";
import { BareTabs } from "./page-requests.ts";

/** Most memory that scripts of the page may hold: the bound of a tab that moves a file of any size. */
const MOST_HEAP_BYTES = 300 * 1024 * 1024;

export class PageVictim {
  readonly opened: OpenPage;
  readonly origin: string;
  readonly client: ShoalClient;
  readonly apiKey: string;
  readonly id: string;

  private constructor(
    opened: OpenPage,
    of: { origin: string; client: ShoalClient; apiKey: string; id: string },
  ) {
    this.opened = opened;
    this.origin = of.origin;
    this.client = of.client;
    this.apiKey = of.apiKey;
    this.id = of.id;
  }

  static async open(site: PageSite): Promise<PageVictim> {
    const opened = await site.open();
    const { origin } = new URL(site.host.pageUrl);
    const tabs = new BareTabs(opened.context, { origin, requestsPerTab: REQUESTS_PER_MINUTE });
    const apiKey = await opened.page.evaluate(() => window.shoal.apiKey());
    const client = new ShoalClient(origin, { apiKey, fetch: (request) => tabs.fetch(request) });
    const { node_id: id } = await client.nodeInfo();
    return new PageVictim(opened, { origin, client, apiKey, id });
  }

  /** Dials a hostile node, as pages do that heard of it. */
  async meet(hostile: HostileNode): Promise<void> {
    await this.client.connect(hostile.address);
  }

  /** The screen of the fragment, told apart by its heading. */
  async show(screen: string, heading: string): Promise<void> {
    const { page } = this.opened;
    await page.evaluate((fragment) => {
      location.hash = fragment;
    }, `#/${screen}`);
    await page.getByRole("heading", { level: 1, name: heading, exact: true }).waitFor();
  }

  /** Its screens react, its API answers, its memory is bounded, no script but its own has run. */
  async expectUnharmed(): Promise<void> {
    const { page, context, complaints } = this.opened;
    await this.show("transfers", "Transfers");
    await this.show("network", "Network");
    expect(await this.client.health()).toMatchObject({ status: "ok" });
    const devTools = await context.newCDPSession(page);
    await devTools.send("Performance.enable");
    const { metrics } = await devTools.send("Performance.getMetrics");
    await devTools.detach();
    const heapBytes = metrics.find(({ name }) => name === "JSHeapTotalSize")?.value;
    expect(heapBytes, "bytes of the heap").toBeLessThan(MOST_HEAP_BYTES);
    expect(await page.evaluate(() => "owned" in globalThis), "a script of a stranger ran").toBe(false);
    expect(complaints).toEqual([]);
  }
}
