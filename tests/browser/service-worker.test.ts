/** The service worker's life: first load, hard reload, end and return, new versions, no network, no tab, shares. */
import type { BrowserContext, Page } from "playwright";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { STAY_AWAKE_EVERY_MS } from "../../src/bridge/limits.ts";
import { OFFER_LEAD_EVERY_MS } from "../../src/browser/limits.ts";
import { BridgeSite, openTab, saw, tabOf, who } from "./bridge-site.ts";
import { hasKept } from "./open-page.ts";

let site: BridgeSite;
let context: BrowserContext;

beforeAll(async () => {
  site = await BridgeSite.open("1", "2", "3");
});

afterAll(async () => {
  await site.close();
});

beforeEach(async () => {
  site.serve(0);
  site.instead.clear();
  context = await site.newProfile();
});

afterEach(async () => {
  await context.close();
});

/** In the worker; gives what it asked for. The engine lets a page come to the front after a person's click alone. */
const CLICK = `(async () => {
  const asked = [];
  WindowClient.prototype.focus = async function () {
    asked.push(this.url);
    return this;
  };
  Clients.prototype.openWindow = async (url) => void asked.push(url);
  const waits = [];
  const notification = { close: () => asked.push("closed") };
  const waitUntil = (over) => waits.push(over);
  dispatchEvent(Object.assign(new Event("notificationclick"), { notification, waitUntil }));
  await Promise.all(waits);
  return asked;
})()`;

async function stopWorkers(page: Page): Promise<void> {
  const devTools = await context.newCDPSession(page);
  await devTools.send("ServiceWorker.enable");
  await devTools.send("ServiceWorker.stopAllWorkers");
}

async function textAt(path: string): Promise<string> {
  return await (await fetch(site.origin + path)).text();
}

/** Answers of a route that is not the page's, by a tab that no app runs in. */
async function getBare(page: Page, path: string): Promise<unknown[]> {
  return await page.evaluate(async (path) => {
    const response = await fetch(path);
    return [response.status, response.headers.get("retry-after") !== null, await response.json()];
  }, path);
}

test("the first load is controlled without a reload", async () => {
  const page = await context.newPage();
  await page.goto(site.origin);
  await page.evaluate(() => window.bridgePage.worker.controls());
  expect(await page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true);
  expect((await who(page)).tab).toBe(await tabOf(page));
});

test("a worker whose script did not come at first is had when it is asked for again", async () => {
  const profile = await site.newProfile();
  const page = await profile.newPage();
  const letGo = site.hold("/sw.js");
  await page.goto(site.origin);
  void site.serveNothing();
  letGo();
  const controls = () => page.evaluate(() => window.bridgePage.worker.controls());
  await expect(controls()).rejects.toThrow("did not load");
  site.serve(0);
  await controls();
  expect((await who(page)).tab).toBe(await tabOf(page));
  await profile.close();
});

test("a page loaded past the worker is controlled again", async () => {
  const page = await openTab(context, site.origin);
  const devTools = await context.newCDPSession(page);
  const loaded = page.waitForEvent("load");
  await devTools.send("Page.reload", { ignoreCache: true });
  await loaded;
  await page.evaluate(() => window.bridgePage.worker.controls());
  expect((await who(page)).tab).toBe(await tabOf(page));
});

test("a worker that was ended carries the next request", async () => {
  const page = await openTab(context, site.origin);
  await stopWorkers(page);
  const startMs = performance.now();
  expect((await who(page)).tab).toBe(await tabOf(page));
  process.stdout.write(`worker: ended to next answer ${(performance.now() - startMs).toFixed(0)} ms\n`);
});

test("what a worker carried is aborted at the leader once its successor begins", async () => {
  const page = await openTab(context, site.origin);
  const failed = page.evaluate(async () => {
    const reader = (await fetch("/api/v1/endless")).body?.getReader();
    window.bridgePage.seen.push("reading");
    for (;;) {
      try {
        await reader?.read();
      } catch (error) {
        return (error as Error).name;
      }
    }
  });
  await saw(page, "reading");
  await stopWorkers(page);
  expect(await failed).toBe("TypeError");
  expect((await who(page)).tab).toBe(await tabOf(page));
  await saw(page, "endless cancelled");
});

test("the leader keeps the worker awake while a body is under way", async () => {
  const page = await context.newPage();
  await page.clock.install();
  await page.goto(site.origin);
  await page.evaluate(() => window.bridgePage.worker.controls());
  await page.evaluate(async () => await fetch("/api/v1/events"));
  await saw(page, "events open");
  const worker = context.serviceWorkers()[0];
  // It listens before the clock runs.
  await worker?.evaluate(() => {
    const heard = new Promise((resolve) => {
      addEventListener("message", ({ data }) => resolve(data), { once: true });
    });
    Object.assign(globalThis, { heard });
  });
  await page.clock.runFor(STAY_AWAKE_EVERY_MS);
  expect(await worker?.evaluate("heard")).toEqual({ type: "stay-awake" });
});

test("with no tab of the app, API routes answer 503 in the shape of their surface", async () => {
  const app = await openTab(context, site.origin);
  await app.close();
  const page = await context.newPage();
  const answer = await page.goto(`${site.origin}/api/v1/node/info`);
  const message = "No tab hosts the node: open the app and try again";
  expect(answer?.status()).toBe(503);
  expect(answer?.headers()["retry-after"]).toBeDefined();
  expect(await answer?.json()).toEqual({ error: true, code: 503, message });
  const vx = await context.newPage();
  await page.close();
  const vxAnswer = await vx.goto(`${site.origin}/vectors/1`);
  expect([vxAnswer?.status(), await vxAnswer?.json()]).toEqual([
    503,
    { error: { code: "unavailable", message } },
  ]);
});

test("a page that hosts no app gets 503, not the network's answer, once nobody has led for a while", async () => {
  const app = await openTab(context, site.origin);
  const page = await context.newPage();
  await page.goto(`${site.origin}/api/v1/who`);
  await app.close();
  expect(await getBare(page, "/search")).toEqual([
    503,
    true,
    { error: { code: "unavailable", message: "No tab hosts the node: open the app and try again" } },
  ]);
});

test("a first visit keeps the page when it asks for that, again where it failed, and opens with the network gone", async () => {
  const first = await openTab(context, site.origin);
  const isKept = () => hasKept(first);
  expect(await isKept()).toBe(false);
  const keep = () => first.evaluate(() => window.bridgePage.worker.keepFiles());
  const asked = site.serveNothing();
  await expect(keep()).rejects.toThrow("can't be kept");
  await asked;
  expect((await who(first)).tab).toBe(await tabOf(first));
  site.serve(0);
  await expect.poll(keep).toBe(true);
  expect(await isKept()).toBe(true);
  await first.close();
  await context.setOffline(true);
  const page = await openTab(context, `${site.origin}/some/place`);
  expect((await who(page)).tab).toBe(await tabOf(page));
});

test("a version whose host is changed file by file takes over once all are there as it has them", async () => {
  const page = await openTab(context, site.origin);
  await expect.poll(() => page.evaluate(() => window.bridgePage.worker.keepFiles())).toBe(true);
  const former = await textAt("/");
  site.serve(1);
  const present = await textAt("/");
  const script = /\/assets\/[^"]+/.exec(present)?.[0] ?? "";
  /** Asks for the new version, and tells how its worker ended. */
  const installed = () =>
    page.evaluate(async () => {
      const registration = await navigator.serviceWorker.ready;
      const found = new Promise<ServiceWorker>((resolve) => {
        registration.addEventListener("updatefound", () => resolve(registration.installing as ServiceWorker));
      });
      await registration.update();
      const worker = await found;
      return await new Promise<string>((resolve) => {
        const look = () => worker.state === "installing" || resolve(worker.state);
        worker.addEventListener("statechange", look);
        look();
      });
    });
  const html = { "content-type": "text/html" };
  // The browser's own cache keeps it: as a host reads it that writes the file anew.
  const empty = { text: "", headers: { "cache-control": "public, max-age=31536000, immutable" } };
  for (const [path, answer] of [
    [script, { text: present, headers: html }],
    [script, empty],
    ["/index.html", { text: "", headers: html }],
    ["/index.html", { text: former, headers: html }],
  ] as const) {
    site.instead.set(path, answer);
    expect(await installed()).toBe("redundant");
    site.instead.delete(path);
  }
  expect(await installed()).toBe("installed");
  const reloaded = page.waitForEvent("load");
  await page.evaluate(() => window.bridgePage.worker.update.value?.());
  await reloaded;
  await page.waitForFunction(() => window.bridgePage?.version === "2");
});

test("a new version waits, is offered, and takes over when it is agreed to", async () => {
  const page = await openTab(context, site.origin);
  expect(await page.evaluate(() => window.bridgePage.version)).toBe("1");
  site.serve(1);
  await page.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.update());
  await page.waitForFunction(() => window.bridgePage.worker.update.value !== undefined);
  expect((await who(page)).tab).toBe(await tabOf(page));
  const reloaded = page.waitForEvent("load");
  await page.evaluate(() => window.bridgePage.worker.update.value?.());
  await reloaded;
  await page.waitForFunction(() => window.bridgePage?.version === "2");
  expect((await who(page)).tab).toBe(await tabOf(page));
});

test("a tab that opens while a new version is being installed is served at once, and offered that then", async () => {
  const page = await openTab(context, site.origin);
  await expect.poll(() => page.evaluate(() => window.bridgePage.worker.keepFiles())).toBe(true);
  site.serve(1);
  const release = site.hold("/index.html");
  await page.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.update());
  const other = await openTab(context, site.origin);
  expect(await other.evaluate(() => window.bridgePage.version)).toBe("1");
  release();
  await other.waitForFunction(() => window.bridgePage.worker.update.value !== undefined);
});

test("a new version that was agreed to and then not loaded is offered still", async () => {
  const page = await openTab(context, site.origin);
  site.serve(1);
  await page.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.update());
  await page.waitForFunction(() => window.bridgePage.worker.update.value !== undefined);
  await page.evaluate(() => addEventListener("beforeunload", (event) => event.preventDefault()));
  // The browser asks for the sake of a page that somebody has used.
  await page.mouse.click(5, 5);
  const asked = page.waitForEvent("dialog");
  await page.evaluate(() => window.bridgePage.worker.update.value?.());
  await (await asked).dismiss();
  expect(await page.evaluate(() => window.bridgePage.version)).toBe("1");
  page.once("dialog", (dialog) => void dialog.accept());
  await page.evaluate(() => window.bridgePage.worker.update.value?.());
  await page.waitForFunction(() => window.bridgePage?.version === "2");
});

test("a worker that is gone with the site's data is no new version, and another is had when it is asked for", async () => {
  const page = await openTab(context, site.origin);
  await clearWorker(page);
  expect(await page.evaluate(() => navigator.serviceWorker.controller)).toBeNull();
  expect(await page.evaluate(() => window.bridgePage.worker.update.value === undefined)).toBe(true);
  await page.evaluate(() => window.bridgePage.worker.controls());
  expect(await page.evaluate(() => navigator.serviceWorker.controller)).not.toBeNull();
  expect((await who(page)).tab).toBe(await tabOf(page));
  expect(await page.evaluate(() => window.bridgePage.worker.update.value === undefined)).toBe(true);
});

test("a new version that waited and is gone with the site's data is offered still, and had by a reload", async () => {
  const page = await openTab(context, site.origin);
  site.serve(1);
  await page.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.update());
  await page.waitForFunction(() => window.bridgePage.worker.update.value !== undefined);
  await clearWorker(page);
  await page.evaluate(() => window.bridgePage.worker.update.value?.());
  await page.waitForFunction(() => window.bridgePage?.version === "2");
});

test("other tabs are offered a reload when one tab agreed to a new version", async () => {
  const [page, other] = [await openTab(context, site.origin), await openTab(context, site.origin)];
  site.serve(1);
  await page.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.update());
  await page.waitForFunction(() => window.bridgePage.worker.update.value !== undefined);
  await page.evaluate(() => window.bridgePage.worker.update.value?.());
  await page.waitForFunction(() => window.bridgePage?.version === "2");
  expect(await other.evaluate(() => window.bridgePage.version)).toBe("1");
  await other.evaluate(() => window.bridgePage.worker.update.value?.());
  await other.waitForFunction(() => window.bridgePage?.version === "2");
});

test("a tab of the new version takes over from one of the former that leads, which uses its node then", async () => {
  const leader = await context.newPage();
  await leader.clock.install();
  await leader.goto(site.origin);
  await leader.evaluate(() => window.bridgePage.worker.controls());
  const [former, page] = [await openTab(context, site.origin), await openTab(context, site.origin)];
  // As screens have all the time.
  await former.evaluate(async () => void (await window.bridgePage.fetch("/api/v1/events")));
  site.serve(1);
  await page.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.update());
  await page.waitForFunction(() => window.bridgePage.worker.update.value !== undefined);
  await page.evaluate(() => window.bridgePage.worker.update.value?.());
  await page.waitForFunction(() => window.bridgePage?.version === "2");
  expect((await who(page)).tab).toBe(await tabOf(leader));
  await leader.clock.runFor(OFFER_LEAD_EVERY_MS);
  await saw(page, "leading");
  await saw(leader, "stopped");
  for (const tab of [leader, former, page]) expect((await who(tab)).tab).toBe(await tabOf(page));
  expect(await leader.evaluate(() => window.bridgePage.leadership.state.value.name)).toBe("waiting");
});

test("a tab of the former version has its files still when its host has them no more, one of the version before has not", async () => {
  const [page, other] = [await openTab(context, site.origin), await openTab(context, site.origin)];
  await expect.poll(() => page.evaluate(() => window.bridgePage.worker.keepFiles())).toBe(true);
  const script = () =>
    other.evaluate(async () => {
      const { src } = document.querySelector("script") as HTMLScriptElement;
      return (await fetch(src)).status;
    });
  const update = async (index: number) => {
    site.serve(index);
    await page.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.update());
    await page.waitForFunction(() => window.bridgePage.worker.update.value !== undefined);
    await page.evaluate(() => window.bridgePage.worker.update.value?.());
    await page.waitForFunction((version) => window.bridgePage?.version === version, String(index + 1));
  };
  await update(1);
  expect(await script()).toBe(200);
  await update(2);
  expect(await script()).toBe(404);
});

test("a click on a notification closes it, and brings the page to the front, or opens it", async () => {
  const other = await openTab(context, site.origin);
  await other.goto(`${site.origin}/sw.js`);
  const page = await openTab(context, site.origin);
  const worker = context.serviceWorkers()[0];
  const click = () => worker?.evaluate<string[]>(CLICK);
  expect(await click()).toEqual(["closed", `${site.origin}/`]);
  await page.close();
  expect(await click()).toEqual(["closed", "/"]);
});

test("files that the system shares are kept until the page takes them, once", async () => {
  const page = await openTab(context, site.origin);
  await page.evaluate(() => {
    const form = document.createElement("form");
    form.method = "post";
    form.enctype = "multipart/form-data";
    form.action = "/share-target";
    const input = document.createElement("input");
    input.type = "file";
    input.name = "files";
    input.multiple = true;
    const files = new DataTransfer();
    files.items.add(new File(["first"], "één.txt", { type: "text/plain" }));
    files.items.add(new File(["second"], "two.bin"));
    input.files = files.files;
    form.append(input);
    document.body.append(form);
    form.submit();
  });
  await page.waitForURL("**/?share-target=files#/files");
  const taken = await page.evaluate(async () => {
    const texts: string[][] = [];
    for (const file of (await window.bridgePage.takeSharedFiles()).files)
      texts.push([file.name, file.type, await file.text()]);
    return [texts, (await window.bridgePage.takeSharedFiles()).files.length];
  });
  expect(taken).toEqual([
    [
      ["één.txt", "text/plain", "first"],
      ["two.bin", "application/octet-stream", "second"],
    ],
    0,
  ]);
});

test("a text that the system shares is kept as a file, and a link in it is opened", async () => {
  const page = await openTab(context, site.origin);
  const hand = (fields: Record<string, string>) =>
    page.evaluate((entries) => {
      const form = document.createElement("form");
      form.method = "post";
      form.enctype = "multipart/form-data";
      form.action = "/share-target";
      for (const [name, value] of entries) {
        const input = document.createElement("input");
        input.name = name;
        input.value = value;
        form.append(input);
      }
      document.body.append(form);
      form.submit();
    }, Object.entries(fields));
  await hand({ title: "Notes: a/b", text: "to be read", url: "https://example.com/?a=1" });
  await page.waitForURL("**/?share-target=files#/files");
  const taken = await page.evaluate(async () => {
    const [file] = (await window.bridgePage.takeSharedFiles()).files;
    return [file?.name, file?.type, await file?.text()];
  });
  expect(taken).toEqual(["Notes a b.txt", "text/plain", "to be read\nhttps://example.com/?a=1"]);
  await hand({ title: "", text: "Look: https://share.example/#/get/bafkrei?name=a%20b.txt", url: "" });
  await page.waitForURL("**/#/open?link=**");
  expect(new URLSearchParams(new URL(page.url()).hash.split("?")[1]).get("link")).toBe(
    "https://share.example/#/get/bafkrei?name=a%20b.txt",
  );
});

/** As where the site's data is cleared: settles once the page has no worker. */
async function clearWorker(page: Page): Promise<void> {
  const devTools = await context.newCDPSession(page);
  const gone = page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        navigator.serviceWorker.addEventListener("controllerchange", () => resolve(), { once: true });
      }),
  );
  await devTools.send("Storage.clearDataForOrigin", { origin: site.origin, storageTypes: "service_workers" });
  await gone;
}
