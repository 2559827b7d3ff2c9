/** API requests of a page, carried by the service worker to the leader tab and back. */
import { stat } from "node:fs/promises";
import type { BrowserContext, Page } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BridgeSite, openTab, saw, tabOf, who } from "./bridge-site.ts";

let site: BridgeSite;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  site = await BridgeSite.open("1");
  context = await site.newProfile();
  page = await openTab(context, site.origin);
});

afterAll(async () => {
  await site.close();
});

const MIB = 1024 * 1024;

test("a page's request reaches its leader and counts for the page that made it", async () => {
  const answer = await who(page);
  expect(answer.tab).toBe(await tabOf(page));
  expect(answer.client.inProcess).toBeUndefined();
  const other = await openTab(context, site.origin);
  const fromOther = await who(other);
  expect(fromOther.tab).toBe(answer.tab);
  expect(fromOther.client.address).not.toBe(answer.client.address);
  await other.close();
});

test("the app's own calls are in-process, in the leader and in every other tab", async () => {
  const own = async (tab: Page) =>
    await tab.evaluate(async () => await (await window.bridgePage.fetch("/api/v1/who")).json());
  const other = await openTab(context, site.origin);
  for (const tab of [page, other]) {
    expect(await own(tab)).toMatchObject({ tab: await tabOf(page), client: { inProcess: true } });
  }
  await other.close();
});

test("64 MiB come down whole", async () => {
  const same = await page.evaluate(async (sizeBytes) => {
    const { patternBytes, sha256 } = window.bridgePage;
    const response = await fetch(`/api/v1/bytes/${sizeBytes}`);
    const bytes = new Uint8Array(await response.arrayBuffer());
    return [
      response.headers.get("content-length"),
      (await sha256(bytes)) === (await sha256(patternBytes(sizeBytes))),
    ];
  }, 64 * MIB);
  expect(same).toEqual([String(64 * MIB), true]);
});

test.each(["Blob", "stream"])("64 MiB go up whole as a %s", async (kind) => {
  const same = await page.evaluate(
    async ({ kind, sizeBytes }) => {
      const { patternBytes, sha256 } = window.bridgePage;
      const bytes = patternBytes(sizeBytes);
      const blob = new Blob([bytes]);
      const init = {
        method: "POST",
        body: kind === "Blob" ? blob : blob.stream(),
        duplex: "half",
      } as RequestInit;
      const answer = await (await fetch("/api/v1/hash", init)).json();
      return answer.hash === (await sha256(bytes));
    },
    { kind, sizeBytes: 64 * MIB },
  );
  expect(same).toBe(true);
});

test("a body in memory goes up whole", async () => {
  const same = await page.evaluate(async (sizeBytes) => {
    const { patternBytes, sha256 } = window.bridgePage;
    const bytes = patternBytes(sizeBytes);
    const answer = await (await fetch("/api/v1/hash", { method: "POST", body: bytes })).json();
    return answer.hash === (await sha256(bytes));
  }, MIB);
  expect(same).toBe(true);
});

test("a follower's own fetch carries a Blob and a stream to the leader", async () => {
  const other = await openTab(context, site.origin);
  const results = await other.evaluate(async (sizeBytes) => {
    const { patternBytes, sha256 } = window.bridgePage;
    const bytes = patternBytes(sizeBytes);
    const hash = await sha256(bytes);
    const same: boolean[] = [];
    for (const body of [new Blob([bytes]), new Blob([bytes]).stream()]) {
      const init = { method: "POST", body, duplex: "half" } as RequestInit;
      const answer = await (await window.bridgePage.fetch("/api/v1/hash", init)).json();
      same.push(answer.hash === hash);
    }
    return same;
  }, 8 * MIB);
  expect(results).toEqual([true, true]);
  await other.close();
});

test("methods, headers, bodies and statuses arrive as they are", async () => {
  const echo = await page.evaluate(async () => {
    const init = {
      method: "PATCH",
      body: '{"a":1}',
      headers: { "content-type": "application/json", "x-one": "1" },
    };
    return await (await fetch("/api/v1/echo", init)).json();
  });
  expect(echo).toMatchObject({
    method: "PATCH",
    body: '{"a":1}',
    headers: { "content-type": "application/json", "x-one": "1" },
  });
  const statuses = await page.evaluate(async () => {
    const all: number[] = [];
    for (const status of [204, 304, 404, 418, 500])
      all.push((await fetch(`/api/v1/status/${status}`)).status);
    return all;
  });
  expect(statuses).toEqual([204, 304, 404, 418, 500]);
});

test("HEAD gives the length and no body", async () => {
  const answer = await page.evaluate(async () => {
    const response = await fetch("/api/v1/bytes/1000", { method: "HEAD" });
    return [response.headers.get("content-length"), await response.text()];
  });
  expect(answer).toEqual(["1000", ""]);
});

test("a range is answered with just its bytes", async () => {
  const answer = await page.evaluate(async () => {
    const response = await fetch("/api/v1/stream/sound", { headers: { range: "bytes=8-11" } });
    return [response.status, response.headers.get("content-range"), await response.text()];
  });
  expect(answer).toEqual([206, "bytes 8-11/2646044", "WAVE"]);
});

test("a media element seeks by range", async () => {
  await page.evaluate(async () => {
    const audio = new Audio("/api/v1/stream/sound");
    const event = (name: string) =>
      new Promise((resolve) => audio.addEventListener(name, resolve, { once: true }));
    const known = event("loadedmetadata");
    audio.preload = "metadata";
    await known;
    const sought = event("seeked");
    audio.currentTime = 50;
    await sought;
  });
  const ranges = await page.evaluate(() =>
    window.bridgePage.seen.filter((entry) => entry.startsWith("range bytes=")),
  );
  const starts = ranges.map((range) => Number(/=(\d+)/.exec(range)?.[1]));
  expect(Math.max(...starts)).toBeGreaterThan(1_000_000);
});

test("a file is saved with its name and length", async () => {
  const saved = page.waitForEvent("download");
  await page.evaluate(() => {
    const frame = document.createElement("iframe");
    frame.src = "/api/v1/stream/sound?download=true";
    document.body.append(frame);
  });
  const download = await saved;
  expect(download.suggestedFilename()).toBe("silence.wav");
  expect((await stat(await download.path())).size).toBe(2_646_044);
});

test("events arrive while the stream stays open", async () => {
  const opened = page.evaluate(async () => {
    const response = await fetch("/api/v1/events");
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    const texts: (string | undefined)[] = [];
    for (const detail of ["one", "two"]) {
      dispatchEvent(new CustomEvent("tell", { detail }));
      texts.push((await reader?.read())?.value);
    }
    await reader?.cancel();
    return texts;
  });
  expect(await opened).toEqual(["data: one\n\n", "data: two\n\n"]);
});

test("aborting before the answer is seen by the leader", async () => {
  const other = await openTab(context, site.origin);
  await other.evaluate(() => {
    const stop = new AbortController();
    addEventListener("stop", () => stop.abort());
    window.bridgePage.fetch("/api/v1/slow", { signal: stop.signal }).catch((error: Error) => {
      window.bridgePage.seen.push(error.name);
    });
  });
  await saw(page, "slow GET");
  await other.evaluate(() => dispatchEvent(new Event("stop")));
  await saw(other, "AbortError");
  await saw(page, "slow aborted");
  await other.close();
});

// Chromium does not tell a service worker that a request was aborted; it drops the answer when that comes.
test("an answer that comes after its client has gone is cancelled", async () => {
  await page.evaluate(async () => {
    const stop = new AbortController();
    const answer = fetch("/api/v1/endless?late=true", { signal: stop.signal }).catch(
      (error: Error) => error.name,
    );
    addEventListener("stop", () => stop.abort());
    void answer.then((name) => window.bridgePage.seen.push(`late ${name}`));
  });
  await saw(page, "endless waits");
  await page.evaluate(() => dispatchEvent(new Event("stop")));
  await saw(page, "late AbortError");
  await page.evaluate(() => dispatchEvent(new Event("answer-slow")));
  await saw(page, "endless cancelled");
});

test("a reader that goes away in the middle of a body stops its maker", async () => {
  await page.evaluate(async () => {
    window.bridgePage.seen.length = 0;
    const stop = new AbortController();
    const response = await fetch("/api/v1/endless", { signal: stop.signal });
    await response.body?.getReader().read();
    stop.abort();
  });
  await saw(page, "endless cancelled");
  await saw(page, "endless aborted");
});

test("a form of another site that posts to the API is refused", async () => {
  const form = await context.newPage();
  await form.setContent(
    `<form method="post" enctype="text/plain" action="${site.origin}/api/v1/who"><input name="a"></form>`,
  );
  const [response] = await Promise.all([
    form.waitForNavigation(),
    form.evaluate(() => document.querySelector("form")?.submit()),
  ]);
  expect(response?.status()).toBe(403);
  expect(await response?.json()).toEqual({ error: true, code: 403, message: "Forms are not taken here" });
  await form.close();
});

test("a URL or headers that are too long are refused as headless refuses them, by the worker and by a tab", async () => {
  const message = "The request can't be carried: its method, URL or headers are too long";
  const other = await openTab(context, site.origin);
  const answers = await other.evaluate(async () => {
    const url = `/api/v1/who?q=${"a".repeat(70_000)}`;
    const init = { headers: { "x-long": "a".repeat(40_000) } };
    const asked = [fetch(url), fetch("/search", init), window.bridgePage.fetch(url)];
    return await Promise.all(
      (await Promise.all(asked)).map(async (answer) => [answer.status, await answer.json()]),
    );
  });
  const refused = [431, { error: true, code: 431, message }];
  expect(answers).toEqual([refused, [431, { error: { code: "invalid_request", message } }], refused]);
  await other.close();
});
