/** A page's own requests while no tab leads: src/browser/hosting/page-fetch. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { LeaderState, Leadership } from "../../../src/browser/hosting/leader.ts";
import type { LeaderLink } from "../../../src/browser/hosting/leader-link.ts";
import { createPageFetch } from "../../../src/browser/hosting/page-fetch.ts";
import { WatchedValue } from "../../../src/browser/watched-value.ts";

const ORIGIN = "http://page.test";
const never = () => new Promise<never>(() => {});
beforeEach(() => vi.stubGlobal("location", new URL(ORIGIN)));
afterEach(() => vi.unstubAllGlobals());

it.each<LeaderState["name"]>(["waiting", "starting"])(
  "a request is given up as soon as its signal aborts, in a tab that is %s",
  async (name) => {
    const leadership = { state: new WatchedValue({ name } as LeaderState), answer: never };
    const link = { open: never, onNewLeader: () => () => {} };
    const fetch = createPageFetch(leadership as unknown as Leadership, link as unknown as LeaderLink);
    const stop = new AbortController();
    const asked = fetch(`${ORIGIN}/api/v1/files`, { signal: stop.signal });
    const refused = expect(asked).rejects.toThrow("enough");
    stop.abort(new Error("enough"));
    await refused;
  },
);
