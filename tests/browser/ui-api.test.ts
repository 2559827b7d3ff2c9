/** The screen of the API on the built page: the key, the examples, the way to the documentation. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type OpenPage, PageSite } from "./open-page.ts";
import { faultsOf } from "./ui-checks.ts";

let site: PageSite;
beforeAll(async () => {
  site = await PageSite.start();
});
afterAll(() => site[Symbol.asyncDispose]());

async function openApi(): Promise<OpenPage> {
  const opened = await site.open("/#/api");
  await opened.page.getByRole("heading", { name: "API", level: 1 }).waitFor();
  await opened.context.grantPermissions(["clipboard-read", "clipboard-write"]);
  return opened;
}

const keyOf = (opened: OpenPage) => opened.page.evaluate(() => window.shoal.apiKey());

describe("the key", () => {
  it("is hidden until asked for", async () => {
    await using opened = await openApi();
    const { page } = opened;
    const key = await keyOf(opened);
    expect(await page.content()).not.toContain(key);
    await page.getByRole("button", { name: "Show" }).click();
    await page.getByText(key).waitFor();
    await page.getByRole("button", { name: "Show" }).click();
    await page.getByText(key).waitFor({ state: "detached" });
  });

  it("is copied without being shown", async () => {
    await using opened = await openApi();
    const { page } = opened;
    await page.locator(".api-key").getByRole("button", { name: "Copy" }).click();
    await page.getByText("The key is on the clipboard.").waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(await keyOf(opened));
    expect(await page.content()).not.toContain(await keyOf(opened));
  });

  it("is replaced after a question; the old one is refused, the page goes on", async () => {
    await using opened = await openApi();
    const { page } = opened;
    const before = await keyOf(opened);
    await page.getByRole("button", { name: "Replace…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Replace" }).click();
    await page.getByText("The key is replaced.").waitFor();
    expect(await keyOf(opened)).not.toBe(before);
    const status = await page.evaluate(async (old) => {
      const headers = { Authorization: `Bearer ${old}` };
      return (await fetch("/api/v1/node/info", { headers })).status;
    }, before);
    expect(status).toBe(401);
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByText("200 OK").waitFor();
  });
});

describe("the examples", () => {
  it("work when they are pasted into the page's console", async () => {
    await using opened = await openApi();
    const { page } = opened;
    for (const title of [
      "About the node",
      "Share a text",
      "Add a vector",
      "Search vectors",
      "Ask the metadata",
    ]) {
      await page.getByRole("button", { name: title }).click();
      await page.locator(".examples-one").getByRole("button", { name: "Copy" }).click();
      const text = await page.evaluate(() => navigator.clipboard.readText());
      const [logged] = await Promise.all([
        page.waitForEvent("console", (message) => message.type() === "log"),
        // As a console does it: a debugger's code, which the page's CSP does not concern.
        page.evaluate(`(async () => {${text}})()`),
      ]);
      expect(await logged.args()[0]?.jsonValue(), title).not.toHaveProperty("error");
    }
  });

  it("run here, also offline; an answer goes with its example", async () => {
    await using opened = await openApi();
    const { page } = opened;
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
  });
});

describe("the screen of the API", () => {
  it("breaks no rule of accessibility, on any look", async () => {
    await using opened = await openApi();
    await opened.page.getByRole("button", { name: "Run" }).click();
    await opened.page.getByText("200 OK").waitFor();
    expect(await faultsOf(opened.page)).toEqual([]);
    expect(opened.complaints).toEqual([]);
  });

  it("leads to the documentation, which is there", async () => {
    await using opened = await openApi();
    const href = await opened.page.getByRole("link", { name: "Open the documentation" }).getAttribute("href");
    const [docs] = await Promise.all([
      opened.context.waitForEvent("page"),
      opened.page.getByRole("link", { name: "Open the documentation" }).click(),
    ]);
    expect(docs.url()).toBe(href);
    await docs.getByRole("heading", { name: /Shoal/ }).waitFor();
  });
});
