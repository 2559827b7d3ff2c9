/** The screen of the API on the built page: the key, the examples, the way to the documentation. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type OpenPage, PageSite } from "./open-page.ts";
import { faultsOf, showAnew } from "./ui-checks.ts";

let site: PageSite;
let opened: OpenPage;
let page: OpenPage["page"];
beforeAll(async () => {
  site = await PageSite.start();
  opened = await site.open("/#/api");
  page = opened.page;
  await opened.context.grantPermissions(["clipboard-read", "clipboard-write"]);
});
beforeEach(async () => {
  await showAnew(page, "#/api");
  await page.getByRole("heading", { name: "API", level: 1 }).waitFor();
});
afterAll(() => site[Symbol.asyncDispose]());

const key = () => page.evaluate(() => window.shoal.apiKey());

describe("the screen of the API", () => {
  it("breaks no rule of accessibility, on any look", async () => {
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByText("200 OK").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    expect(opened.complaints).toEqual([]);
  });

  it("leads to the documentation, which is there", async () => {
    const href = await page.getByRole("link", { name: "Open the documentation" }).getAttribute("href");
    const [docs] = await Promise.all([
      opened.context.waitForEvent("page"),
      page.getByRole("link", { name: "Open the documentation" }).click(),
    ]);
    expect(docs.url()).toBe(href);
    await docs.getByRole("heading", { name: /Shoal/ }).waitFor();
    await docs.close();
  });
});

describe("the key", () => {
  it("has its buttons in one line on a phone", async () => {
    const before = page.viewportSize();
    await page.setViewportSize({ width: 360, height: 740 });
    const tops = await page
      .locator(".api-key button")
      .evaluateAll((buttons) => buttons.map((button) => button.getBoundingClientRect().top));
    if (before !== null) await page.setViewportSize(before);
    expect(tops).toHaveLength(3);
    expect(new Set(tops).size).toBe(1);
  });

  it("is hidden until asked for", async () => {
    const secret = await key();
    expect(await page.content()).not.toContain(secret);
    await page.getByRole("button", { name: "Show" }).click();
    await page.getByText(secret).waitFor();
    await page.getByRole("button", { name: "Show" }).click();
    await page.getByText(secret).waitFor({ state: "detached" });
  });

  it("is copied without being shown", async () => {
    await page.locator(".api-key").getByRole("button", { name: "Copy" }).click();
    await page.getByText("The key is on the clipboard.").waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(await key());
    expect(await page.content()).not.toContain(await key());
  });

  it("is replaced after a question; the old one is refused, the page goes on", async () => {
    const before = await key();
    await page.getByRole("button", { name: "Replace…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Replace" }).click();
    await page.getByText("The key is replaced.").waitFor();
    expect(await key()).not.toBe(before);
    const status = await page.evaluate(async (old) => {
      const headers = { Authorization: `Bearer ${old}` };
      return (await fetch("/api/v1/node/info", { headers })).status;
    }, before);
    expect(status).toBe(401);
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByText("200 OK").waitFor();
  });

  it("is shown as it is now by a tab that comes to the front after another replaced it", async () => {
    const second = await opened.context.newPage();
    await second.goto(page.url());
    await second.getByRole("button", { name: "Show" }).click();
    const before = await key();
    await second.locator(".api-key code").getByText(before).waitFor();
    await page.getByRole("button", { name: "Replace…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Replace" }).click();
    await page.getByText("The key is replaced.").first().waitFor();
    // The browser is told to hold every page for the one in front, so none comes there.
    await second.evaluate(() => dispatchEvent(new Event("focus")));
    await second
      .locator(".api-key code")
      .getByText(await key())
      .waitFor();
    await second.close();
  });
});

describe("the examples", () => {
  /** Whose answer does not end. */
  const EVENTS = "Events as they happen";

  async function titles(): Promise<string[]> {
    const buttons = page.locator(".examples-list button");
    const all = await buttons.evaluateAll((found) =>
      found.map(({ firstChild }) => firstChild?.textContent?.trim() ?? ""),
    );
    expect(all).toContain(EVENTS);
    return all;
  }

  async function shownText(title: string, spelling: "fetch" | "curl"): Promise<string> {
    await page.getByRole("button", { name: title }).click();
    const spellings = page.getByRole("group", { name: "Written with" });
    await spellings.getByRole("button", { name: spelling, exact: true }).click();
    return (await page.getByRole("region", { name: "The example" }).textContent()) ?? "";
  }

  function checkAnswer(title: string, answer: unknown): void {
    if (title === EVENTS) expect(answer).toContain(": connected");
    else expect(answer, title).toEqual(expect.not.objectContaining({ error: expect.anything() }));
  }

  it("run here, also offline; an answer goes with its example", async () => {
    await page.getByRole("button", { name: "Ask the metadata" }).click();
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByText("200 OK").waitFor();
    await page.getByText('"vectors": 0').waitFor();
    await page.getByRole("button", { name: "Download a file" }).click();
    expect(await page.getByText("200 OK").count()).toBe(0);
    await page.context().setOffline(true);
    await page.getByRole("button", { name: "Files here" }).click();
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByText('"files": []').waitFor();
    await page.context().setOffline(false);
  });

  it("are copied as they are shown", async () => {
    const shown = await shownText("Search vectors", "curl");
    await page.locator(".examples-one").getByRole("button", { name: "Copy" }).click();
    await page.getByText("Copied.").waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(shown);
  });

  it("work as they are shown when pasted into the page's console", async () => {
    for (const title of await titles()) {
      const shown = await shownText(title, "fetch");
      const logged = page.waitForEvent("console", (message) => message.type() === "log");
      // As a console does it: a debugger's code, which the page's CSP does not concern. Events have no end to wait for.
      await page.evaluate(`(async () => {${shown}})(); 0`);
      checkAnswer(title, await (await logged).args()[0]?.jsonValue());
    }
  });

  it("work as they are shown in a shell, where a headless node answers", async () => {
    const env = { ...process.env, SHOAL_API_KEY: site.host.apiKey };
    for (const title of await titles()) {
      // Tests take any free port.
      const shown = (await shownText(title, "curl")).replace("http://127.0.0.1:8081", site.host.url);
      const shell = spawn("sh", ["-c", `exec ${shown}`], { env, stdio: ["ignore", "pipe", "pipe"] });
      const answer =
        title === EVENTS ? String((await once(shell.stdout, "data"))[0]) : await text(shell.stdout);
      shell.kill();
      checkAnswer(title, title === EVENTS ? answer : JSON.parse(answer));
    }
  });
});
