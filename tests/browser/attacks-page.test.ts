/** Attacks 9 to 11 on the page itself, and hostile links: strangers' text, strangers' files, strangers' sites. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { baitedFile } from "../attacks/baited-file.ts";
import { HostileNode } from "../attacks/hostile-node.ts";
import { INSECURE_HOST } from "./chromium.ts";
import { serveForeignSite } from "./foreign-site.ts";
import { allKept, keptPaths, PageSite } from "./open-page.ts";
import { PageVictim } from "./page-victim.ts";

/** Each would set `owned`, had it its way. */
const HOSTILE_NAMES = [
  '<img src=x onerror="globalThis.owned=1">.png',
  '"><svg onload="globalThis.owned=1">.svg',
  "<script src=x onerror=globalThis.owned=1>.txt",
  "javascript:globalThis.owned=1",
  "{{constructor.constructor('owned=1')()}}.md",
  "&lt;b&gt;.html",
];
const SCRIPT = "globalThis.owned = 1; document?.title;";
const ANY_ID = "bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy";

let site: PageSite;
let victim: PageVictim;

beforeAll(async () => {
  site = await PageSite.start();
  victim = await PageVictim.open(site);
});
afterEach(async () => {
  await victim.expectUnharmed();
  for (const { id } of (await victim.client.files()).files) await victim.client.deleteFile(id);
});
afterAll(() => site[Symbol.asyncDispose]());

/** Elements that a name would have become, had it been read as HTML. */
const made = (names: string) =>
  victim.opened.page.locator(`${names} :is(img, script, b, [onload], [onerror])`);

describe("a hostile name is shown as text", () => {
  it("where the network's files are listed", async () => {
    const hostile = await HostileNode.startForPages();
    try {
      const announced = await Promise.all(
        HOSTILE_NAMES.map(async (name) => (await baitedFile(name, 100)).announcement),
      );
      await hostile.offer(...announced);
      await victim.meet(hostile);
      await victim.show("network", "Network");
      const list = "[aria-label='Files that others offer']";
      const { page } = victim.opened;
      await page
        .locator(`${list} > li`)
        .nth(HOSTILE_NAMES.length - 1)
        .waitFor();
      const shown = await page
        .locator(`${list} .file-name`)
        .evaluateAll((names) =>
          names.map((name) =>
            [...name.querySelectorAll(":not(.unseen)")].map((half) => half.textContent).join(""),
          ),
        );
      expect(shown.sort()).toEqual([...HOSTILE_NAMES].sort());
      expect(await made(list).count()).toBe(0);
    } finally {
      await hostile.stop();
    }
  });

  it("where one's own files are listed", async () => {
    for (const name of HOSTILE_NAMES) await victim.client.upload(new TextEncoder().encode(name), { name });
    await victim.show("files", "Files");
    const { page } = victim.opened;
    await page
      .getByText(HOSTILE_NAMES[0] ?? "")
      .first()
      .waitFor();
    expect(await made("main").count()).toBe(0);
  });

  it.each(HOSTILE_NAMES)("where a link has it: %s", async (name) => {
    await victim.show(`get/${ANY_ID}?name=${encodeURIComponent(name)}`, name);
    expect(await made("main").count()).toBe(0);
  });
});

describe("a link", () => {
  it.each([
    ["a tag for an id", "#/get/<img src=x onerror=globalThis.owned=1>"],
    ["a path for an id", "#/get/../../etc/passwd"],
    ["an id without its first letter", `#/get/${ANY_ID.slice(1)}`],
    ["NUL for an id", "#/get/%00"],
    ["a script to open", "#/open?link=javascript:globalThis.owned=1"],
    ["a document to open", `#/open?link=${encodeURIComponent("data:text/html,<script>owned=1</script>")}`],
    ["half an escape", "#/open?link=%"],
    ["a tag", "#<svg onload=globalThis.owned=1>"],
    ["__proto__", "#__proto__"],
    ["a hundred thousand letters", `#/${"x".repeat(100_000)}`],
  ])("that is none opens no file: %s", async (_what, fragment) => {
    const { page } = victim.opened;
    await page.evaluate((hash) => {
      location.hash = hash;
    }, fragment);
    await page.getByRole("heading", { level: 1, name: "Nothing here" }).waitFor();
    await page.getByText("ask them for it again").waitFor();
    expect(await made("main").count()).toBe(0);
  });

  it("fetches nothing until it is told to, and dials few of the addresses that it names", async () => {
    const at = Array.from({ length: 500 }, (_, port) => `at=/ip4/127.0.0.1/tcp/${port + 1}/ws`).join("&");
    const wrong = "at=javascript:globalThis.owned=1&at=//evil.example/&size=1e999&size=-1";
    await victim.show(`get/${ANY_ID}?name=plain.bin&${wrong}&${at}`, "plain.bin");
    const { page } = victim.opened;
    const addresses = page.locator(".about-link code");
    expect(await addresses.count()).toBe(1 + 8);
    expect((await victim.client.transfers({ all: true })).transfers).toEqual([]);
  });
});

describe("a shared file that is a program", () => {
  async function ticketOf(name: string, content: string): Promise<string> {
    const { file_id } = await victim.client.upload(new TextEncoder().encode(content), { name });
    return new URL((await victim.client.ticket(file_id)).url, victim.origin).href;
  }

  it.each(["page.html", "image.svg", "page.xhtml", "none"])(
    "is saved, not shown, when %s is opened on the page's origin",
    async (name) => {
      const url = await ticketOf(name, `<script>${SCRIPT}</script>`);
      const tab = await victim.opened.context.newPage();
      const saved = tab.waitForEvent("download");
      // What becomes a download ends the navigation.
      await tab.goto(url).catch(() => undefined);
      expect((await saved).suggestedFilename()).toContain(name.replace(/\..*/, ""));
      expect(tab.url()).toBe("about:blank");
      await tab.close();
    },
  );

  it("runs neither as a script, nor as a worker, nor as a service worker of the page", async () => {
    const url = await ticketOf("code.js", SCRIPT);
    const tab = await victim.opened.context.newPage();
    await tab.goto(victim.origin);
    const outcomes = await tab.evaluate(async (url) => {
      const script = document.createElement("script");
      script.src = url;
      const asScript = new Promise<string>((resolve) => {
        script.addEventListener("load", () => resolve("ran"));
        script.addEventListener("error", () => resolve("refused"));
      });
      document.head.append(script);
      const worker = new Worker(url);
      const asWorker = new Promise<string>((resolve) => {
        worker.addEventListener("error", () => resolve("refused"));
        worker.addEventListener("message", () => resolve("ran"));
      });
      const asServiceWorker = navigator.serviceWorker.register(url).then(
        () => "ran",
        () => "refused",
      );
      return Promise.all([asScript, asWorker, asServiceWorker, "owned" in globalThis]);
    }, url);
    expect(outcomes).toEqual(["refused", "refused", "refused", false]);
    await tab.close();
  });

  it("has no origin and runs nothing in the clothes of a text", async () => {
    const url = await ticketOf("note.txt", `<script>${SCRIPT}</script>`);
    const tab = await victim.opened.context.newPage();
    await tab.goto(url);
    const shown = await tab.evaluate(() => [
      document.contentType,
      globalThis.origin,
      document.scripts.length,
      "owned" in globalThis,
    ]);
    expect(shown).toEqual(["text/plain", "null", 0, false]);
    await tab.close();
  });
});

describe("another site's page", () => {
  it("gets nothing from the API, changes nothing by it, and can't frame the page, though it knows the key", async () => {
    const { context } = victim.opened;
    await using foreign = await serveForeignSite(INSECURE_HOST);
    const tab = await context.newPage();
    await tab.goto(foreign.url);
    const asked = await tab.evaluate(
      async ({ origin, key }) => {
        const headers = { Authorization: `Bearer ${key}` };
        const outcome = (request: Promise<Response>) =>
          request.then(
            ({ type, status }) => `${type} ${status}`,
            () => "refused",
          );
        return Promise.all([
          outcome(fetch(`${origin}/api/v1/node/info`)),
          outcome(fetch(`${origin}/api/v1/node/info`, { headers })),
          outcome(fetch(`${origin}/api/v1/files?name=x`, { method: "POST", headers, body: "x" })),
        ]);
      },
      { origin: victim.origin, key: victim.apiKey },
    );
    expect(asked).toEqual(["refused", "refused", "refused"]);

    const refusal = tab.waitForEvent("console", (message) =>
      message.text().includes("frame-ancestors 'none'"),
    );
    await tab.evaluate(async (origin) => {
      // Simple requests are sent, their answers hidden.
      const blind = (path: string) => fetch(origin + path, { method: "POST", mode: "no-cors", body: "x" });
      await Promise.allSettled([blind("/api/v1/files?name=x"), blind("/vectors")]);
      const frame = document.createElement("iframe");
      frame.src = origin;
      document.body.append(frame);
    }, victim.origin);
    await refusal;

    for (const path of ["/api/v1/files?name=x", "/api/v1/tickets", "/vectors", "/admin/backup"]) {
      await tab.goto(foreign.url);
      const answered = tab.waitForResponse((response) => response.url() === victim.origin + path);
      await tab.evaluate((action) => {
        const form = document.createElement("form");
        Object.assign(form, { action, method: "post", enctype: "multipart/form-data" });
        form.append(Object.assign(document.createElement("input"), { name: "file", value: "x" }));
        document.body.append(form);
        form.submit();
      }, victim.origin + path);
      expect((await answered).status(), path).toBe(403);
      await tab.waitForURL(victim.origin + path);
    }
    await tab.close();
    expect((await victim.client.files()).files).toEqual([]);
  });
});

describe("the service worker", () => {
  it("keeps no answer of the API", async () => {
    await victim.client.upload(new Uint8Array([1]), { name: "one.bin" });
    await victim.client.files();
    const { page } = victim.opened;
    await allKept(page);
    expect(
      (await keptPaths(page)).filter((path) =>
        /^\/(api|vectors|search|metadata|reduce|admin|metrics|health)/.test(path),
      ),
    ).toEqual([]);
  });
});
