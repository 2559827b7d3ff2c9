/** Whether Chromium itself would install the page: its manifest, icons and worker, and what still hinders it. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, type CDPSession, chromium, type Page } from "playwright";
import { afterAll, beforeAll, expect, it } from "vitest";
import { MAX_SHARED_FILES } from "../../src/bridge/limits.ts";
import { Shoals } from "../interop/shoal-process.ts";
import { CHROMIUM } from "./chromium.ts";
import { allKept, keptPaths, startHost } from "./open-page.ts";

interface Picture {
  src: string;
  sizes: string;
  type: string;
}

interface Manifest {
  icons: Picture[];
  screenshots: Picture[];
  shortcuts: { url: string }[];
  protocol_handlers: { url: string }[];
}

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
  context = await chromium.launchPersistentContext(folder, CHROMIUM);
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
  const manifest = JSON.parse(data);
  expect(manifest).toMatchObject({ scope: "/", display: "standalone" });
  expect(manifest).toHaveProperty("share_target.action", "/share-target");
  expect(manifest).toHaveProperty("protocol_handlers.0.protocol", "web+shoal");
  expect(manifest).toHaveProperty("file_handlers.0.action", "/");
});

it("names icons and screenshots of the types and sizes that they have", async () => {
  const named = await page.evaluate(async () => {
    const manifest: Manifest = await (await fetch("/manifest.webmanifest")).json();
    return await Promise.all(
      [...manifest.icons, ...manifest.screenshots].map(async ({ src, sizes, type }) => {
        const { headers } = await fetch(src);
        const image = new Image();
        image.src = src;
        await image.decode();
        const actual = type === "image/svg+xml" ? "any" : `${image.naturalWidth}x${image.naturalHeight}`;
        return { src, said: [type, sizes], is: [headers.get("Content-Type"), actual] };
      }),
    );
  });
  for (const { src, said, is } of named) expect(is, src).toEqual(said);
  const sizes = named.map(({ said: [, size] }) => size);
  expect(sizes).toEqual(["any", "192x192", "512x512", "192x192", "512x512", "1920x1200", "780x1688"]);
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
  await allKept(page);
  expect(await keptPaths(page)).not.toContainEqual(expect.stringMatching(/sqlite-wasm|-512|screenshots/));
  await context.setOffline(true);
  await page.reload();
  await page.evaluate(() => window.shoal.ready);
  await context.setOffline(false);
});

it("has a manifest that leads to screens that there are", async () => {
  const manifest: Manifest = await page.evaluate(async () => (await fetch("/manifest.webmanifest")).json());
  const fileId = "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e";
  const links = manifest.protocol_handlers.map(({ url }) =>
    url.replace("%s", encodeURIComponent(`web+shoal:${fileId}`)),
  );
  const shortcuts = manifest.shortcuts.map(({ url }) => url);
  expect([shortcuts, links]).not.toContainEqual([]);
  for (const url of [...shortcuts, ...links]) {
    await page.goto(new URL(url, page.url()).href);
    await page.locator("main h1").waitFor();
    expect(await page.getByRole("heading", { name: "Nothing here" }).count(), url).toBe(0);
  }
});

it("says so where what another program shares with it can't be kept", async () => {
  await page.evaluate(() => {
    const form = document.createElement("form");
    form.method = "post";
    form.enctype = "text/plain";
    form.action = "/share-target";
    document.body.append(form);
    form.submit();
  });
  await page.getByRole("alert").getByText("could not be kept").waitFor();
  expect(new URL(page.url()).search).toBe("");
});

it("says so where another program shared more files with it than are kept", async () => {
  await page.goto(new URL("/?share-target=files", page.url()).href);
  const leadsTo = await page.evaluate(async (count) => {
    const form = new FormData();
    for (let file = 0; file < count; file++) form.append("files", new File(["x"], `${file}.txt`));
    return (await fetch("/share-target", { method: "POST", body: form })).url;
  }, MAX_SHARED_FILES + 1);
  await page.goto(leadsTo);
  await page.getByRole("alert").getByText(`only the first ${MAX_SHARED_FILES} are here`).waitFor();
  await page.getByRole("dialog", { name: `Share these ${MAX_SHARED_FILES} files?` }).waitFor();
});
