/** The page of the OpenAPI document, as a headless node serves it. */
import type { Browser, Page } from "playwright";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Shoals } from "../interop/shoal-process.ts";
import { launchChromium } from "./chromium.ts";

const shoals = new Shoals();
let browser: Browser;
let page: Page;
let apiKey: string;
let nodeId: string;
const complaints: string[] = [];
beforeAll(async () => {
  const [node, started] = await Promise.all([shoals.start(), launchChromium()]);
  browser = started;
  apiKey = node.apiKey;
  nodeId = (await node.client.nodeInfo()).node_id;
  page = await browser.newPage();
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(`${message.text()} ${message.location().url}`);
  });
  await page.goto(`${node.url}/api/v1/docs`);
  await page.getByText("/api/v1/node/info", { exact: true }).waitFor();
});
afterAll(async () => {
  await browser.close();
  await shoals[Symbol.asyncDispose]();
});

describe("the documentation of the API", () => {
  it("lists operations in groups that say what they are for, none outside", async () => {
    const groups = page.locator(".opblock-tag");
    const names = await groups.evaluateAll((tags) => tags.map((tag) => tag.getAttribute("data-tag")));
    expect(names).toEqual(expect.arrayContaining(["files", "transfers", "events and webhooks", "vectors"]));
    expect(names).not.toContain("default");
    const first = groups.filter({ has: page.getByText("files", { exact: true }) });
    await first.getByText("Share files").waitFor();
  });

  it("has an icon, and nothing of it is refused", async () => {
    const icon = page.locator("link[rel=icon]");
    const width = await icon.evaluate(async (link: HTMLLinkElement) => {
      const image = new Image();
      image.src = link.href;
      await image.decode();
      return image.naturalWidth;
    });
    expect(width).toBeGreaterThan(0);
    expect(complaints).toEqual([]);
  });

  it("leads whoever has a key from Authorize to an answer, and offers no choice of one example", async () => {
    await page.getByRole("button", { name: "Authorize" }).click();
    const dialog = page.locator(".dialog-ux");
    await dialog.getByText("The key alone").waitFor();
    await dialog.locator("input").fill(apiKey);
    await dialog.locator("button.authorize").click();
    await dialog.locator(".btn-done").click();
    const route = page
      .locator(".opblock")
      .filter({ has: page.getByText("/api/v1/node/info", { exact: true }) });
    await route.locator("button.opblock-summary-control").click();
    await route.getByRole("button", { name: "Execute" }).click();
    await route.locator(".live-responses-table").getByText(nodeId).first().waitFor();
    await route.getByText("No API key, or not a valid one").first().waitFor();
    expect(await route.getByText("Examples", { exact: true }).count()).toBe(0);
  });
});
