/** A page's host behind a proxy that can cut what goes by HTTP, for all tests of a file. */
import { afterAll, afterEach, beforeAll } from "vitest";
import { type DrivenPage, type OpenPage, PageSite } from "./open-page.ts";
import { SideProxy } from "./side-proxy.ts";

/** A page in either engine. */
export type AnyPage = OpenPage<DrivenPage, { close(): Promise<void> }>;

export interface ProxiedSite {
  site: PageSite;
  proxy: SideProxy;
  /** A page in Chromium that reaches its host through the proxy. */
  open(): Promise<OpenPage>;
}

/** What it gives is there once a test runs; nothing is cut at the start of any. */
export function proxiedSite(): ProxiedSite {
  const started = {
    async open() {
      const page = await started.site.openUnready("/", { origin: started.proxy.url });
      await page.ready();
      return page;
    },
  } as ProxiedSite;
  beforeAll(async () => {
    started.site = await PageSite.start();
    started.proxy = await SideProxy.before(started.site.host.pageUrl);
  });
  afterEach(() => {
    started.proxy.isCutAt = () => false;
    started.proxy.isPostCutAt = () => false;
  });
  afterAll(async () => {
    await started.proxy?.[Symbol.asyncDispose]();
    await started.site?.[Symbol.asyncDispose]();
  });
  return started;
}
