/** The built page from the first visit on: how it is served, what it offers to code of its origin, when it can't run. */
import { createHash } from "node:crypto";
import type { Page } from "playwright";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { INSECURE_HOST } from "./chromium.ts";
import { type OpenPage, PageSite } from "./open-page.ts";
import { axeViolations } from "./ui-checks.ts";

/** Has the page give the texts of what moved up or down in its main part, once what is drawn by now is laid out. */
const NOTE_MOVES = `{
  const moves = [];
  const note = (entries) => {
    for (const { node, previousRect, currentRect } of entries.flatMap(({ sources }) => sources)) {
      const element = node instanceof Element ? node : node?.parentElement;
      // Places in the map of the swarm are its news.
      if (previousRect.y !== currentRect.y && element?.closest("main") && !element.closest(".swarm-map")) moves.push(element.textContent.slice(0, 80));
    }
  };
  const observer = new PerformanceObserver((list) => note(list.getEntries()));
  observer.observe({ type: "layout-shift", buffered: true });
  window.movesSoFar = async () => {
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
    note(observer.takeRecords());
    return moves;
  };
}`;

let site: PageSite;
beforeAll(async () => {
  site = await PageSite.start({ flags: ["--host-name", INSECURE_HOST] });
});
afterAll(() => site[Symbol.asyncDispose]());

describe("the page", () => {
  let opened: OpenPage;
  beforeAll(async () => {
    opened = await site.open();
  });

  it("runs a node after a first visit without a word said, and breaks none of its own rules", async () => {
    const { status, body } = await opened.call("/health");
    expect({ status, body }).toMatchObject({ status: 200, body: { status: "ok" } });
    expect(opened.complaints).toEqual([]);
  });

  it("gives code of its origin a key, and refuses the API without one", async () => {
    const statuses = await opened.page.evaluate(async () => {
      const ask = (key: string) =>
        fetch("/api/v1/node/info", { headers: { Authorization: `Bearer ${key}` } }).then(
          ({ status }) => status,
        );
      return [await ask(await window.shoal.apiKey()), await ask("shoal_wrong"), await ask("")];
    });
    expect(statuses).toEqual([200, 401, 401]);
  });

  it("keeps its key and its node id over a reload", async () => {
    const read = async () => ({
      key: await opened.page.evaluate(() => window.shoal.apiKey()),
      ...(await opened.api<{ node_id: string }>("node/info")),
    });
    const { key, node_id } = await read();
    await opened.page.reload();
    await opened.ready();
    expect(await read()).toMatchObject({ key, node_id });
  });

  it.each([
    { screen: "files", last: "Drop a file." },
    { screen: "peers", last: "WebSocket, direct" },
    { screen: "vectors", last: "No vectors yet" },
    { screen: "settings", last: /^Version / },
  ])(
    "moves nothing up or down on the screen of $screen while its node starts and meets a peer",
    async ({ screen, last }) => {
      const prepare = async (page: Page) => void (await page.addInitScript(NOTE_MOVES));
      await using starting = await site.openUnready(`/#/${screen}`, { prepare });
      await starting.ready();
      await starting.page.locator(".status-line.running:not(.alone)").waitFor();
      await starting.page.getByText(last).first().waitFor();
      expect(await starting.page.evaluate("movesSoFar()")).toEqual([]);
    },
  );

  it("is isolated from other origins, so that it may measure its memory", async () => {
    expect(await opened.page.evaluate(() => crossOriginIsolated)).toBe(true);
  });

  it("runs its node at the second try where nothing could be stored at the first", async () => {
    const prepare = async (page: Page) =>
      void (await page.addInitScript(() => {
        const { open } = IDBFactory.prototype;
        IDBFactory.prototype.open = () => {
          throw new DOMException("No room", "QuotaExceededError");
        };
        addEventListener("room", () => {
          IDBFactory.prototype.open = open;
        });
      }));
    await using starting = await site.openUnready("/", { prepare });
    const again = starting.page.getByRole("button", { name: "Try again" });
    await again.waitFor();
    await starting.page.evaluate(() => dispatchEvent(new Event("room")));
    await again.click();
    await starting.page.locator(".status-line.running").waitFor();
  });

  it("meets its host though that told nothing of the swarm when the node started", async () => {
    const path = "**/shoal.json";
    const prepare = async (page: Page) => void (await page.route(path, (route) => route.abort()));
    await using starting = await site.openUnready("/", { prepare });
    await starting.ready();
    await starting.page.locator(".status-line.alone").waitFor();
    await starting.page.unroute(path);
    await starting.page.locator(".status-line.running:not(.alone)").waitFor();
  });

  it("takes files, and shows its figures, where the browser can't tell how much room there is", async () => {
    const prepare = async (page: Page) =>
      void (await page.addInitScript(() => {
        const message = "Internal error when calculating storage usage.";
        StorageManager.prototype.estimate = () => Promise.reject(new TypeError(message));
      }));
    await using blind = await site.openUnready("/", { prepare });
    await blind.ready();
    await blind.shareRandom(1000);
    expect(await blind.api("system/stats")).toMatchObject({ disk_usage: 0 });
    expect(await blind.api("storage")).toMatchObject({ available: expect.any(Number) });
    expect(blind.complaints).toEqual([]);
  });

  it("says so where its code does not come, and opens the same link once it does", async () => {
    const prepare = async (page: Page) => {
      // Nothing is shown because it is time, however long a busy machine takes to look.
      const devTools = await page.context().newCDPSession(page);
      await devTools.send("Animation.enable");
      await devTools.send("Animation.setPlaybackRate", { playbackRate: 0 });
      await page.route(/\/assets\/index-[^/]*\.js$/, (route) => route.abort());
    };
    const link = `/#/get/bafkrei${"a".repeat(52)}?name=late.bin&size=5`;
    await using unopened = await site.openUnready(link, { prepare });
    const { page } = unopened;
    const again = page.getByRole("button", { name: "Try again" });
    expect(await again.isVisible()).toBe(false);
    await page.evaluate(() => {
      for (const animation of document.getAnimations()) animation.finish();
    });
    expect(await again.isVisible()).toBe(true);
    expect(await axeViolations(page)).toEqual([]);
    await page.unrouteAll();
    await again.click();
    await page.getByRole("heading", { level: 1, name: "late.bin" }).waitFor();
    expect(await again.count()).toBe(0);
  });

  it("says so where there is no secure context, and how to get one", async () => {
    const { port } = new URL(site.host.pageUrl);
    await using insecure = await site.openUnready("/", { origin: `http://${INSECURE_HOST}:${port}` });
    await insecure.page.getByText("--tls-cert").first().waitFor();
    expect(await insecure.page.evaluate(() => isSecureContext)).toBe(false);
  });
});

describe("the host of the page", () => {
  const get = (path: string, init?: RequestInit) => fetch(new URL(path, site.host.pageUrl), init);

  it("keeps hashed files in caches for ever, and has the others asked for again", async () => {
    const html = await get("/");
    const text = await html.text();
    const script = /src="(\/assets\/[^"]+\.js)"/.exec(text)?.[1] ?? "";
    expect(html.headers.get("cache-control")).toBe("no-cache");
    expect((await get("/sw.js")).headers.get("cache-control")).toBe("no-cache");
    expect((await get(script)).headers.get("cache-control")).toContain("immutable");
    const again = await get("/", { headers: { "If-None-Match": html.headers.get("etag") ?? "" } });
    expect(again.status).toBe(304);
  });

  it.each(["br", "gzip"])("sends the same bytes compressed by %s", async (encoding) => {
    const hash = async (response: Response) =>
      createHash("sha256")
        .update(new Uint8Array(await response.arrayBuffer()))
        .digest("hex");
    const compressed = await get("/sw.js", { headers: { "Accept-Encoding": encoding } });
    const plain = await get("/sw.js", { headers: { "Accept-Encoding": "identity" } });
    expect(compressed.headers.get("content-encoding")).toBe(encoding);
    expect(plain.headers.get("content-encoding")).toBeNull();
    expect(await hash(compressed)).toBe(await hash(plain));
  });

  it("lets no script but its own run, and nobody frame it", async () => {
    const policy = (await get("/")).headers.get("content-security-policy") ?? "";
    expect(policy).toContain("script-src 'self' 'wasm-unsafe-eval';");
    expect(policy).toContain("frame-ancestors 'none'");
  });

  it.each([
    ["/api/v1/files", { error: true, code: 503 }],
    ["/api/v1/", { error: true, code: 503 }],
    ["/vectors/1", { error: { code: "unavailable" } }],
    ["/health", { error: { code: "unavailable" } }],
  ])(
    "answers %s with 503 in the shape of its surface, when no service worker took it",
    async (path, body) => {
      const response = await get(path);
      expect(response.status).toBe(503);
      expect(response.headers.get("retry-after")).toBe("5");
      expect(await response.json()).toMatchObject(body);
    },
  );

  it.each(["/no-such-file", "/assets/", "/%2e%2e/package.json", "/assets/..%2f..%2fpackage.json"])(
    "has nothing at %s",
    async (path) => {
      const response = await get(path);
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ error: { code: "not_found" } });
    },
  );

  it("changes nothing by any method", async () => {
    const response = await get("/", { method: "POST" });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("GET, HEAD");
  });

  it("tells a page how to reach the swarm", async () => {
    const told = await (await get("/shoal.json")).json();
    const { node_id, swarm } = await site.host.client.nodeInfo();
    expect(told).toMatchObject({ swarm, node_id, ice_servers: [] });
    expect(told.bootstrap.join(" ")).toMatch(/\/ws\/p2p\/.*\/webrtc-direct\/certhash\//);
    expect(told.relays).toEqual(told.bootstrap);
  });
});
