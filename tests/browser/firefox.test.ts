/** The built page in Firefox, the second engine: first load, sharing, files to and from Chromium, the API by fetch. */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Firefox, type FirefoxPage, HAS_FIREFOX, WHY_SKIPPED } from "./firefox.ts";
import { type DrivenPage, type OpenPage, PageSite } from "./open-page.ts";

const MIB = 1024 * 1024;

/** Of the bytes "hello world" under the profile unixfs-v1-2025. */
const HELLO_WORLD_ID = "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e";

/** Firefox's word on any answer of a service worker that its page no longer reads; firefox-engine.test.ts shows it. */
const ABANDONED_ANSWER = "A ServiceWorker intercepted the request and encountered an unexpected error";

function complaintsOf(opened: FirefoxPage): string[] {
  return opened.complaints.filter((text) => !text.includes(ABANDONED_ANSWER));
}

interface Peer {
  id: string;
  address: string;
  transport: string;
  downloaded: number;
}

type AnyPage = Pick<OpenPage<DrivenPage, { close(): Promise<void> }>, "api">;

async function nodeId(page: AnyPage): Promise<string> {
  return (await page.api<{ node_id: string }>("node/info")).node_id;
}

/** The peer among those of `page` that is `other`. */
async function peerFor(page: AnyPage, other: AnyPage): Promise<Peer | undefined> {
  const id = await nodeId(other);
  const { peers } = await page.api<{ peers: Peer[] }>("node/peers");
  return peers.find((peer) => peer.id === id);
}

describe.skipIf(!HAS_FIREFOX)(`in Firefox, the page${WHY_SKIPPED}`, () => {
  let site: PageSite;
  let firefox: Firefox;
  let opened: FirefoxPage;
  beforeAll(async () => {
    [site, firefox] = await Promise.all([PageSite.start(), Firefox.launch()]);
    opened = await firefox.open(site.host.pageUrl);
  });
  afterAll(async () => {
    await firefox?.[Symbol.asyncDispose]();
    await site?.[Symbol.asyncDispose]();
  });

  it("is usable after the first load: controlled by its service worker, its node running, no rule broken", async () => {
    const { status, body } = await opened.call("/health");
    expect({ status, body }).toMatchObject({ status: 200, body: { status: "ok" } });
    expect(await opened.page.evaluate(() => navigator.serviceWorker.controller?.state)).toBe("activated");
    await opened.page.locator("::-p-aria([name='Choose files'][role='button'])").wait();
    expect(opened.complaints).toEqual([]);
  });

  it("keeps its key and its node id over a reload", async () => {
    const read = async () => [await opened.page.evaluate(() => window.shoal.apiKey()), await nodeId(opened)];
    const before = await read();
    await opened.page.reload();
    await opened.ready();
    expect(await read()).toEqual(before);
  });

  it("shares a file that somebody picks without a copy, under the id that every node gives it", async () => {
    await opened.page.evaluate(() => {
      // Firefox has no streams as bodies, and writes what a request gives as a Blob into a file of its own.
      const { blob } = Request.prototype;
      const copied: string[] = [];
      Request.prototype.blob = function () {
        copied.push(new URL(this.url).pathname);
        return blob.call(this);
      };
      Object.assign(window, { copied });
      const input = document.querySelector<HTMLInputElement>('input[type="file"]');
      if (input === null) throw new Error("nothing to pick files with");
      const picked = new DataTransfer();
      picked.items.add(new File(["hello world"], "hello.txt", { type: "text/plain" }));
      input.files = picked.files;
      input.dispatchEvent(new Event("change", { bubbles: true }));
    });
    await opened.page.locator("::-p-text(hello.txt is shared)").wait();
    const copied = await opened.page.evaluate(() => (window as unknown as { copied: string[] }).copied);
    expect(copied).not.toContain("/api/v1/files");
    const { files } = await opened.api<{ files: object[] }>("files");
    expect(files).toContainEqual(
      expect.objectContaining({ id: HELLO_WORLD_ID, name: "hello.txt", size: 11, complete: true }),
    );
  });

  /** Presses what bears the name. The driver's own click evaluates texts, which the page's CSP refuses in Firefox 140. */
  async function press(name: string): Promise<void> {
    const target = await opened.page.locator(`::-p-aria([name='${name}'])`).waitHandle();
    await target.evaluate((element) => (element as HTMLElement).click());
  }

  it("saves a file to disk, and stays on the page", async () => {
    await opened.shareRandom(1000, "saved.bin");
    await press("More for saved.bin");
    await press("Save to disk");
    const saved = join(firefox.downloads, "saved.bin");
    const sizeBytes = () =>
      stat(saved).then(
        ({ size }) => size,
        () => 0,
      );
    await expect.poll(sizeBytes, { timeout: 20_000 }).toBe(1000);
    expect(await opened.page.evaluate(() => document.querySelectorAll(".toast").length)).toBe(0);
  });

  it("lets a line go in its time after another was dismissed by keyboard, and with it the file it tells of", async () => {
    const names = ["one.txt", "two.txt"];
    for (const name of names) await opened.shareRandom(10, name);
    for (const name of names) {
      await press(`More for ${name}`);
      await press("Delete");
    }
    await opened.page.locator(".toast .icon-only").wait();
    await opened.page.evaluate(() => document.querySelector<HTMLElement>(".toast .icon-only")?.focus());
    await opened.page.keyboard.press("Enter");
    const toasts = () => opened.page.evaluate(() => document.querySelectorAll(".toast").length);
    await expect.poll(toasts, { interval: 500 }).toBe(0);
    const deleted = async () => {
      const { files } = await opened.api<{ files: { name: string }[] }>("files");
      return files.every(({ name }) => !names.includes(name));
    };
    await expect.poll(deleted, { interval: 500 }).toBe(true);
  });

  it("gives who goes back the keys at the button where they were, though its menu was open", async () => {
    await opened.shareRandom(12, "left.txt");
    const more = await opened.page.locator("::-p-aria([name='More for left.txt'])").waitHandle();
    await more.press("Enter");
    await opened.page.locator("::-p-aria([role='menuitem'][name='Delete'])").wait();
    const leadTo = async (screen: string, lead: () => void) => {
      await opened.page.evaluate(lead);
      await opened.page.waitForSelector(`main[aria-label='${screen}']`);
    };
    await leadTo("Peers", () => {
      location.hash = "#/peers";
    });
    await leadTo("Files", () => history.back());
    const focused = () => opened.page.evaluate(() => document.activeElement?.textContent);
    await expect.poll(focused).toBe("More for left.txt");
  });

  it("closes a menu where it alone is asked for that, as by Android's back button", async () => {
    await opened.page.evaluate(() =>
      addEventListener("keydown", (event) => event.stopImmediatePropagation(), { capture: true, once: true }),
    );
    await press("More for left.txt");
    await opened.page.locator("::-p-aria([role='menuitem'][name='Delete'])").wait();
    await opened.page.keyboard.press("Escape");
    await expect
      .poll(() => opened.page.evaluate(() => document.querySelectorAll(".menu-list").length))
      .toBe(0);
  });

  it("is asked whether to keep the files in the tab that a person looks at, though another runs the node", async () => {
    const tab = (await opened.context.newPage()) as unknown as FirefoxPage["page"];
    await tab.goto(new URL("/#/settings", site.host.pageUrl).href);
    const pages = [opened.page, tab];
    for (const page of pages) {
      await page.evaluate(() => {
        StorageManager.prototype.persist = async () => {
          Object.assign(window, { wasAsked: true });
          return false;
        };
      });
    }
    const button = await tab.locator("::-p-aria([name='Keep my files'][role='button'])").waitHandle();
    await button.evaluate((element) => (element as HTMLElement).click());
    await tab.locator("::-p-text(If it asked you, allow it in)").wait();
    const asked = await Promise.all(pages.map((page) => page.evaluate(() => "wasAsked" in window)));
    expect(asked).toEqual([false, true]);
    await tab.close();
  });

  describe("with a page in Chromium, by WebRTC through the relay of their host,", () => {
    let chromium: OpenPage;
    beforeAll(async () => {
      chromium = await site.open();
    });

    it("takes a file, equal to the byte", async () => {
      const { fileId, sha256 } = await chromium.shareRandom(8 * MIB + 5);
      expect((await opened.download(fileId)).event).toBe("transfer_complete");
      expect(await opened.contentHash(fileId)).toBe(sha256);
      const from = await peerFor(opened, chromium);
      expect(from?.transport).toBe("webrtc");
      expect(from?.downloaded).toBeGreaterThanOrEqual(8 * MIB + 5);
    });

    it("gives a file, equal to the byte", async () => {
      const { fileId, sha256 } = await opened.shareRandom(8 * MIB + 5);
      expect((await chromium.download(fileId)).event).toBe("transfer_complete");
      expect(await chromium.contentHash(fileId)).toBe(sha256);
      const from = await peerFor(chromium, opened);
      expect(from?.transport).toBe("webrtc");
      expect(from?.downloaded).toBeGreaterThanOrEqual(8 * MIB + 5);
    });

    it("shows the other's own address, not that of the relay between them", async () => {
      const { addresses } = await site.host.client.nodeInfo();
      const relay = addresses.map((text) =>
        /^\/ip4\/([^/]+)\/(?:tcp|udp)\/(\d+)/.exec(text)?.slice(1).join(":"),
      );
      const address = (await peerFor(opened, chromium))?.address;
      expect(address).toMatch(/^(\d|\[).*:\d+$/);
      expect(relay).not.toContain(address);
    });
  });

  describe("answers code of its origin through the service worker:", () => {
    /** Status, headers that matter, and text of one fetch with the key. */
    const send = (
      path: string,
      init: { method?: string; headers?: Record<string, string>; body?: string } = {},
    ) =>
      opened.page.evaluate(
        async ({ path, init }) => {
          const headers = new Headers({
            Authorization: `Bearer ${await window.shoal.apiKey()}`,
            ...init.headers,
          });
          const response = await fetch(path, { ...init, headers });
          const { status } = response;
          const range = response.headers.get("Content-Range");
          return { status, range, text: await response.text() };
        },
        { path, init },
      );

    it("an upload of 5 MiB, whole, by its parts, and gone when deleted", async () => {
      const { fileId, sha256 } = await opened.shareRandom(5 * MIB + 1, "upload.bin");
      expect(await opened.contentHash(fileId)).toBe(sha256);
      const path = `/api/v1/files/${fileId}`;
      const part = await opened.page.evaluate(async (path) => {
        const authorization = `Bearer ${await window.shoal.apiKey()}`;
        const whole = await fetch(path, { headers: { authorization } });
        const some = await fetch(path, { headers: { authorization, range: "bytes=2000000-2000099" } });
        const expected = new Uint8Array(await whole.arrayBuffer()).slice(2_000_000, 2_000_100);
        const isEqual = String(new Uint8Array(await some.arrayBuffer())) === String(expected);
        return { isEqual, status: some.status, range: some.headers.get("Content-Range") };
      }, `${path}/content`);
      expect(part).toEqual({ isEqual: true, status: 206, range: `bytes 2000000-2000099/${5 * MIB + 1}` });
      expect((await send(path, { method: "DELETE" })).status).toBe(200);
      expect((await send(path)).status).toBe(404);
    });

    it("a form with a file", async () => {
      const answer = await opened.page.evaluate(async () => {
        const form = new FormData();
        form.append("file", new File(["from a form"], "form.txt"));
        const authorization = `Bearer ${await window.shoal.apiKey()}`;
        const response = await fetch("/api/v1/files", {
          method: "POST",
          headers: { authorization },
          body: form,
        });
        const { file_id: fileId } = await response.json();
        const content = await fetch(`/api/v1/files/${fileId}/content`, { headers: { authorization } });
        return { status: response.status, text: await content.text() };
      });
      expect(answer).toEqual({ status: 201, text: "from a form" });
    });

    it("vectors, added and found again", async () => {
      const vector = Array.from({ length: 384 }, (_, at) => Number(at === 7));
      const metadata = { name: "seven" };
      expect((await opened.call("/vectors", "POST", { id: 7, vector, metadata })).status).toBe(200);
      const found = await opened.call("/search", "POST", { vector, k: 1 });
      expect(found).toEqual({ status: 200, body: { results: [{ id: 7, distance: 0, metadata }] } });
    });

    it("401 without its key, 400 for a body that is no JSON, 404 for what is not there", async () => {
      const bare = await opened.page.evaluate(async () => {
        const response = await fetch("/api/v1/files");
        return [response.status, response.headers.get("WWW-Authenticate"), await response.json()];
      });
      expect(bare).toEqual([401, "Bearer", { error: true, code: 401, message: expect.any(String) }]);
      const json = { "Content-Type": "application/json" };
      const torn = await send("/api/v1/transfers/download", { method: "POST", headers: json, body: "{" });
      expect([torn.status, JSON.parse(torn.text)]).toEqual([400, expect.objectContaining({ code: 400 })]);
      expect((await send("/api/v1/no-such-route")).status).toBe(404);
    });
  });

  it("has had no error but of answers that were abandoned on purpose", () => {
    expect(complaintsOf(opened)).toEqual([]);
  });
});
