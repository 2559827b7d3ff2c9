/** Whether Chromium itself would install the page: its manifest and worker, and what still hinders it. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, type CDPSession, chromium, type Page } from "playwright";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Shoals } from "../interop/shoal-process.ts";
import { CHROMIUM_FLAGS, startHost } from "./open-page.ts";

let shoals: Shoals;
let folder: string;
let context: BrowserContext;
let page: Page;
let devTools: CDPSession;

beforeAll(async () => {
  shoals = new Shoals();
  folder = await mkdtemp(join(tmpdir(), "shoal-install-"));
  const host = await startHost(shoals);
  // Nothing is installed from private windows, which is what a browser's extra contexts are.
  context = await chromium.launchPersistentContext(folder, {
    executablePath: "/usr/bin/chromium",
    args: CHROMIUM_FLAGS,
  });
  page = await context.newPage();
  await page.goto(host.pageUrl);
  await page.evaluate(() => window.shoal.ready);
  devTools = await context.newCDPSession(page);
});
afterAll(async () => {
  await context.close();
  await shoals[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

it("meets every criterion for being installed", async () => {
  expect(await devTools.send("Page.getInstallabilityErrors")).toEqual({ installabilityErrors: [] });
});

it("has a manifest in which Chromium finds no error, for the app as a whole", async () => {
  const { url, errors, data = "{}" } = await devTools.send("Page.getAppManifest");
  expect(new URL(url).pathname).toBe("/manifest.webmanifest");
  expect(errors).toEqual([]);
  const { appId } = await devTools.send("Page.getAppId");
  expect(appId).toBe(`${new URL(page.url()).origin}/`);
  const { icons, ...manifest } = JSON.parse(data);
  expect(manifest).toMatchObject({ scope: "/", display: "standalone" });
  expect(manifest).toHaveProperty("share_target.action", "/share-target");
  expect(manifest).toHaveProperty("protocol_handlers.0.protocol", "web+shoal");
  expect(manifest).toHaveProperty("file_handlers.0.action", "/");
  const sizes = await page.evaluate(
    (sources: string[]) =>
      Promise.all(
        sources.map(async (src) => {
          const { width, height } = await createImageBitmap(await (await fetch(src)).blob());
          return `${width}x${height}`;
        }),
      ),
    icons.filter(({ type }: { type: string }) => type === "image/png").map(({ src }: { src: string }) => src),
  );
  expect(sizes).toEqual(["192x192", "512x512", "192x192", "512x512"]);
});

it("is run by one active worker for the whole origin, which opens it without a network", async () => {
  const active = new Promise<{ scriptURL: string; runningStatus: string }>((resolve) => {
    devTools.on("ServiceWorker.workerVersionUpdated", ({ versions }) => {
      const version = versions.find(({ status }) => status === "activated");
      if (version !== undefined) resolve(version);
    });
  });
  const scope = new Promise<string>((resolve) => {
    devTools.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      if (registrations[0] !== undefined) resolve(registrations[0].scopeURL);
    });
  });
  await devTools.send("ServiceWorker.enable");
  const { origin } = new URL(page.url());
  expect(await active).toMatchObject({ scriptURL: `${origin}/sw.js` });
  expect(await scope).toBe(`${origin}/`);
  await context.setOffline(true);
  await page.reload();
  await page.evaluate(() => window.shoal.ready);
  await context.setOffline(false);
});
