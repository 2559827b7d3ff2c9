/** Which tab hosts the node, and what becomes of requests when that changes. */
import type { BrowserContext, Page } from "playwright";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { PING_EVERY_MS, UNANSWERED_PINGS } from "../../src/bridge/limits.ts";
import { BridgeSite, openTab, saw, tabOf, who } from "./bridge-site.ts";

let site: BridgeSite;
let context: BrowserContext;

beforeAll(async () => {
  site = await BridgeSite.open("1");
});

afterAll(async () => {
  await site.close();
});

beforeEach(async () => {
  context = await site.newProfile();
});

afterEach(async () => {
  await context.close();
});

/** The first tab leads, the second follows. */
async function leaderAndFollower(): Promise<[Page, Page]> {
  return [await openTab(context, site.origin), await openTab(context, site.origin)];
}

/** Sends a request from a tab, and pushes `<name> <status>` to what it saw once it is answered. */
async function ask(page: Page, name: string, method: string, through: "worker" | "page"): Promise<void> {
  await page.evaluate(
    ({ name, method, through }) => {
      const send = through === "worker" ? fetch : window.bridgePage.fetch;
      void send("/api/v1/slow", { method }).then(
        async (response) => {
          const retryAfter = response.headers.get("retry-after");
          const answer = `${name} ${response.status}${retryAfter === null ? "" : " with Retry-After"}`;
          window.bridgePage.seen.push(answer);
        },
        (error: Error) => window.bridgePage.seen.push(`${name} ${error.message}`),
      );
    },
    { name, method, through },
  );
}

async function state(page: Page): Promise<string> {
  return await page.evaluate(() => window.bridgePage.leadership.state.value.name);
}

test("two tabs that start at once have one leader", async () => {
  const tabs = await Promise.all([openTab(context, site.origin), openTab(context, site.origin)]);
  const states = await Promise.all(tabs.map(state));
  expect(states.sort()).toEqual(["leading", "waiting"]);
});

test.each(["worker", "page"] as const)(
  "a leader closed in the middle: a GET by the %s is answered by the next",
  async (through) => {
    const [leader, follower] = await leaderAndFollower();
    await ask(follower, "GET", "GET", through);
    await saw(leader, "slow GET");
    await leader.close();
    await saw(follower, "slow GET");
    await follower.evaluate(() => dispatchEvent(new Event("answer-slow")));
    await saw(follower, "GET 200");
  },
);

test.each(["worker", "page"] as const)(
  "a leader closed in the middle: a POST by the %s is answered 503",
  async (through) => {
    const [leader, follower] = await leaderAndFollower();
    await ask(follower, "POST", "POST", through);
    await saw(leader, "slow POST");
    await leader.close();
    await saw(follower, "POST 503 with Retry-After");
    expect(await state(follower)).toBe("leading");
  },
);

test("a leader that crashes is followed by another tab, which answers what was in flight", async () => {
  const [leader, follower] = await leaderAndFollower();
  // By the page: the engine may run the worker in the crashing tab's process, and fails what such a worker carried.
  await ask(follower, "GET", "GET", "page");
  await saw(leader, "slow GET");
  await ask(follower, "POST", "POST", "page");
  await saw(leader, "slow POST");
  const crashed = leader.waitForEvent("crash");
  const devTools = await context.newCDPSession(leader);
  devTools.send("Page.crash").catch(() => undefined);
  await crashed;
  const startMs = performance.now();
  await saw(follower, "leading");
  process.stdout.write(`leader: crash to takeover ${(performance.now() - startMs).toFixed(0)} ms\n`);
  await saw(follower, "slow GET");
  await follower.evaluate(() => dispatchEvent(new Event("answer-slow")));
  await saw(follower, "GET 200");
  await saw(follower, "POST 503 with Retry-After");
  expect((await who(follower)).tab).toBe(await tabOf(follower));
});

test("measured: from a leader's close to the next one's first answer", async () => {
  const [leader, follower] = await leaderAndFollower();
  const startMs = performance.now();
  await leader.close();
  const answer = await who(follower);
  process.stdout.write(`leader: close to first answer ${(performance.now() - startMs).toFixed(0)} ms\n`);
  expect(answer.tab).toBe(await tabOf(follower));
});

test("a body that breaks off with its leader fails for its reader", async () => {
  const [leader, follower] = await leaderAndFollower();
  const broken = follower.evaluate(async () => {
    const response = await fetch("/api/v1/endless");
    const reader = response.body?.getReader();
    window.bridgePage.seen.push("reading");
    for (;;) {
      try {
        await reader?.read();
      } catch (error) {
        return (error as Error).name;
      }
    }
  });
  await saw(follower, "reading");
  await leader.close();
  expect(await broken).toBe("TypeError");
});

test("a frozen tab stops its node, gives the lead up, and stands again when it wakes", async () => {
  const [leader, follower] = await leaderAndFollower();
  // Chromium freezes no tab that a test drives, so the test says what the engine would.
  await leader.evaluate(() => document.dispatchEvent(new Event("freeze")));
  await saw(follower, "leading");
  expect((await who(follower)).tab).toBe(await tabOf(follower));
  await saw(leader, "stopped");
  await leader.evaluate(() => document.dispatchEvent(new Event("resume")));
  await follower.close();
  expect((await who(leader)).tab).toBe(await tabOf(leader));
});

test("a tab put into the back/forward cache gives the lead up, and stands again when shown", async () => {
  const [leader, follower] = await leaderAndFollower();
  await leader.evaluate(() => dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true })));
  await saw(leader, "stopped");
  await saw(follower, "leading");
  await leader.evaluate(() => dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true })));
  await follower.close();
  await leader.waitForFunction(() => window.bridgePage.leadership.state.value.name === "leading");
});

test("a leader whose node does not start says why, and the next tab leads", async () => {
  const failing = await context.newPage();
  await failing.goto(`${site.origin}/?fails`);
  await saw(failing, "failed");
  await failing.evaluate(() => window.bridgePage.worker.controls());
  const refused = await failing.evaluate(async () => {
    const response = await fetch("/api/v1/who");
    return [response.status, response.headers.has("retry-after"), await response.json()];
  });
  const message = "The node could not start: the store can't be opened";
  expect(refused).toEqual([503, true, { error: true, code: 503, message }]);
  const second = await openTab(context, site.origin);
  expect((await who(failing)).tab).toBe(await tabOf(second));
  expect(await state(failing)).toBe("failed");
});

test("a failed tab that tries again waits for its turn", async () => {
  const failing = await context.newPage();
  await failing.goto(`${site.origin}/?fails`);
  await saw(failing, "failed");
  const second = await openTab(context, site.origin);
  await failing.evaluate(() => window.bridgePage.leadership.retry());
  expect(await state(failing)).toBe("waiting");
  await second.close();
  await failing.waitForFunction(() => window.bridgePage.leadership.state.value.name === "failed");
});

test("without a service worker a tab reaches the leader through a pipe of broadcasts", async () => {
  const leader = await openTab(context, site.origin);
  const other = await context.newPage();
  await other.goto(`${site.origin}/?worker-less`);
  const answer = await other.evaluate(async (sizeBytes) => {
    const { fetch: own, patternBytes, sha256 } = window.bridgePage;
    const bytes = patternBytes(sizeBytes);
    const up = await (await own("/api/v1/hash", { method: "POST", body: new Blob([bytes]) })).json();
    const down = new Uint8Array(await (await own(`/api/v1/bytes/${sizeBytes}`)).arrayBuffer());
    const hash = await sha256(bytes);
    return [up.hash === hash, (await sha256(down)) === hash, (await (await own("/api/v1/who")).json()).tab];
  }, 3_000_000);
  expect(answer).toEqual([true, true, await tabOf(leader)]);
});

test("a leader that answers nothing loses its lock to a tab that is looked at, which answers what waits", async () => {
  const leader = await openTab(context, site.origin);
  const follower = await context.newPage();
  await follower.clock.install();
  await follower.goto(site.origin);
  await follower.evaluate(async () => await (await window.bridgePage.fetch("/api/v1/who")).json());
  const devTools = await context.newCDPSession(leader);
  await devTools.send("Debugger.enable");
  const paused = new Promise((resolve) => devTools.once("Debugger.paused", resolve));
  await devTools.send("Debugger.pause");
  await ask(follower, "GET", "GET", "page");
  await paused;
  await follower.bringToFront();
  // Settles once the paused tab goes on too: the clock is the context's.
  const ran = follower.clock.runFor(PING_EVERY_MS * (UNANSWERED_PINGS + 2));
  await saw(follower, "slow GET");
  await follower.evaluate(() => dispatchEvent(new Event("answer-slow")));
  await saw(follower, "GET 200");
  await devTools.send("Debugger.disable");
  await ran;
  await saw(leader, "stopped");
  expect((await who(leader)).tab).toBe(await tabOf(follower));
});

test("a leader that lost its lock stops its node, and the tab that took it leads", async () => {
  const [leader, follower] = await leaderAndFollower();
  await follower.bringToFront();
  await follower.evaluate(() => window.bridgePage.leadership.reportSilence());
  await saw(follower, "leading");
  await saw(leader, "stopped");
  expect((await who(leader)).tab).toBe(await tabOf(follower));
});
