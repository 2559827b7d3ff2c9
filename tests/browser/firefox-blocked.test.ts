/** The built page in a Firefox that keeps nothing for it: it says so, and what helps. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Shoals } from "../interop/shoal-process.ts";
import { Firefox, HAS_FIREFOX, WHY_SKIPPED } from "./firefox.ts";
import { startHost } from "./open-page.ts";

/** Of the preference: cookies, and with them all data of sites, are blocked. */
const BLOCK_ALL = 2;

/** Firefox's own word on it, whether or not the page hears that it was refused. */
const NO_WORKER = "Failed to register/update a ServiceWorker";

const shoals = new Shoals();

describe.skipIf(!HAS_FIREFOX)(`in a Firefox that blocks the data of sites, the page${WHY_SKIPPED}`, () => {
  let pageUrl: string;
  let firefox: Firefox;
  beforeAll(async () => {
    [{ pageUrl }, firefox] = await Promise.all([
      startHost(shoals),
      Firefox.launch({ "network.cookie.cookieBehavior": BLOCK_ALL }),
    ]);
  });
  afterAll(async () => {
    await firefox?.[Symbol.asyncDispose]();
    await shoals[Symbol.asyncDispose]();
  });

  it("is drawn, and says why its node does not run and what helps", async () => {
    const opened = await firefox.openBare(pageUrl);
    await opened.page.locator("::-p-text(Leave private browsing, or allow site data)").wait();
    await opened.page.locator("::-p-aria([name='Choose files'][role='button'])").wait();
    expect(opened.complaints.filter((text) => !text.includes(NO_WORKER))).toEqual([]);
  });
});
