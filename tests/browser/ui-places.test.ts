/** What a person finds who goes back to a screen: it is as they left it. */
import type { Locator, Page } from "playwright";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Client } from "../../src/client/vx-client.ts";
import { ROWS_A_PAGE } from "../../src/ui/limits.ts";
import { drawnAtFirst, isFocused } from "./ui-checks.ts";
import { UiSession } from "./ui-session.ts";

let session: UiSession;
beforeAll(async () => {
  session = await UiSession.start(["--vx-dimension", "3"]);
});
afterAll(async () => {
  await session[Symbol.asyncDispose]();
});

const scrolled = (page: Page) => page.evaluate(() => Math.round(scrollY));

/** Behind another screen; the node's list has more files than are drawn at once, and finds all of them. */
async function openNetwork(fileCount = 2 * ROWS_A_PAGE): Promise<Page> {
  const page = await session.open("#/nothing-here");
  const files = Array.from({ length: fileCount }, (_, at) => ({
    id: `bafkrei${at.toString(2).replaceAll("0", "a").replaceAll("1", "b").padStart(52, "c")}`,
    name: `sea ${String(at).padStart(3, "0")}.bin`,
    size: 1_000,
    peers: ["p"],
  }));
  await page.route(/files\/network(\?q=.*)?$/, (route) =>
    route.fulfill({ json: { files, total: files.length, ranked_by: "meaning" } }),
  );
  await page.evaluate(() => {
    location.hash = "#/network";
  });
  return page;
}

/** Scrolls on until so many pages of rows are drawn, or about to be. */
async function scrollThrough(rows: Locator, pages: number): Promise<void> {
  for (let drawn = 1; drawn < pages; drawn++) {
    await expect.poll(() => rows.count()).toBeGreaterThanOrEqual(drawn * ROWS_A_PAGE);
    await rows.last().scrollIntoViewIfNeeded();
  }
}

describe("who goes back", () => {
  test("finds the words, the rows and the place in the list that they left, and a new visit begins anew", async () => {
    const page = await openNetwork();
    const search = page.getByLabel("Search the network");
    await search.fill("sea");
    await page.getByText("200 matches").waitFor();
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    // A link to where one is keeps the screen as it is.
    await page.getByRole("link", { name: "Network" }).click();
    const result = page.getByRole("link", { name: "sea 150.bin" });
    await result.scrollIntoViewIfNeeded();
    const before = await scrolled(page);
    expect(before).toBeGreaterThan(1_000);
    await result.click();
    await page.getByRole("heading", { level: 1, name: "sea 150.bin" }).waitFor();
    expect(await scrolled(page)).toBe(0);
    await page.goBack();
    await search.waitFor();
    expect(await search.inputValue()).toBe("sea");
    await result.waitFor();
    expect(await scrolled(page)).toBe(before);
    await page.getByRole("link", { name: "Peers" }).click();
    await page.getByRole("heading", { level: 1, name: "Peers" }).waitFor();
    await page.getByRole("link", { name: "Network" }).click();
    await search.waitFor();
    expect([await search.inputValue(), await scrolled(page)]).toEqual(["", 0]);
  });

  test("finds what they saw of a long list before what is above it, which comes without moving anything", async () => {
    const page = await openNetwork(4 * ROWS_A_PAGE);
    const rows = page.getByRole("list", { name: "Files that others offer" }).getByRole("listitem");
    await scrollThrough(rows, 4);
    const row = rows.filter({ hasText: "sea 350.bin" });
    await row.scrollIntoViewIfNeeded();
    const top = () => row.evaluate((element) => Math.round(element.getBoundingClientRect().top));
    const left = await top();
    await page.getByRole("link", { name: "Peers" }).click();
    await page.getByRole("heading", { level: 1, name: "Peers" }).waitFor();
    const firstDrawn = drawnAtFirst(page, ".network-list > [data-thing]");
    await page.goBack();
    expect(await firstDrawn).toBeLessThan(3 * ROWS_A_PAGE);
    expect(await top()).toBe(left);
    await page.getByRole("link", { name: "sea 000.bin" }).waitFor({ state: "attached" });
    expect(await rows.count()).toBe(4 * ROWS_A_PAGE);
    expect(await top()).toBe(left);
  });

  test("finds the beginning of a long list at once where they go all the way up, and not behind all that is between", async () => {
    const pages = 6;
    const page = await openNetwork(pages * ROWS_A_PAGE);
    const rows = page.getByRole("list", { name: "Files that others offer" }).getByRole("listitem");
    await scrollThrough(rows, pages);
    await page.getByRole("link", { name: "Peers" }).click();
    await page.getByRole("heading", { level: 1, name: "Peers" }).waitFor();
    const drawnWithFirst = page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          new MutationObserver((_, observer) => {
            // Once they are where they were.
            if (scrollY > 0) scrollTo(0, 0);
            const drawn = document.querySelectorAll<HTMLElement>(".network-list > [data-thing]");
            if (!drawn[0]?.textContent?.includes("sea 000.bin")) return;
            observer.disconnect();
            resolve(drawn.length);
          }).observe(document.body, { childList: true, subtree: true });
        }),
    );
    await page.goBack();
    expect(await drawnWithFirst).toBe(ROWS_A_PAGE);
  });

  test("finds the keys in the row of the list where they were", async () => {
    const page = await openNetwork();
    const row = page.getByRole("listitem").filter({ hasText: "sea 057.bin" });
    await row.getByRole("link").focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "sea 057.bin" }).waitFor();
    await page.goBack();
    await expect.poll(() => isFocused(row.getByRole("link"))).toBe(true);
    await page.keyboard.press("Tab");
    expect(await isFocused(row.getByRole("button", { name: "Get sea 057.bin" }))).toBe(true);
  });

  test("finds the keys in the nearest row where theirs is not drawn yet", async () => {
    const page = await openNetwork(4 * ROWS_A_PAGE);
    const rows = page.getByRole("list", { name: "Files that others offer" }).getByRole("listitem");
    await page.getByRole("link", { name: "sea 002.bin" }).press("ArrowLeft");
    await scrollThrough(rows, 4);
    await page.getByRole("link", { name: "sea 399.bin" }).scrollIntoViewIfNeeded();
    await page.evaluate(() => {
      location.hash = "#/nothing-here";
    });
    await page.getByRole("heading", { level: 1, name: "Nothing here" }).waitFor();
    const reached = page.evaluate(
      () =>
        new Promise<boolean>((resolve) => {
          new MutationObserver((_, observer) => {
            const first = document.querySelector(".network-list > [data-thing]");
            if (first === null) return;
            observer.disconnect();
            resolve(first.contains(document.activeElement));
          }).observe(document.body, { childList: true, subtree: true });
        }),
    );
    await page.goBack();
    expect(await reached).toBe(true);
  });

  test("finds the keys where a dialog had them from that went with its screen", async () => {
    const page = await openNetwork();
    const more = page.getByRole("button", { name: "More for sea 057.bin" });
    await more.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("menuitem", { name: "More like this" }).press("Enter");
    await page.getByRole("dialog", { name: "Like sea 057.bin" }).waitFor();
    await page.evaluate(() => {
      location.hash = "#/nothing-here";
    });
    await page.getByRole("heading", { level: 1, name: "Nothing here" }).waitFor();
    await page.goBack();
    await more.waitFor();
    expect(await isFocused(more)).toBe(true);
  });

  test("closes a dialog first, and leaves the screen with the next step", async () => {
    const page = await openNetwork();
    const more = page.getByRole("button", { name: "More for sea 003.bin" });
    await more.press("Enter");
    await page.getByRole("menuitem", { name: "More like this" }).press("Enter");
    const dialog = page.getByRole("dialog", { name: "Like sea 003.bin" });
    await dialog.waitFor();
    const goBack = () => page.evaluate(() => history.back());
    await goBack();
    await dialog.waitFor({ state: "detached" });
    expect(new URL(page.url()).hash).toBe("#/network");
    expect(await isFocused(more)).toBe(true);
    await goBack();
    await page.getByRole("heading", { level: 1, name: "Nothing here" }).waitFor();
  });

  test("closes of two dialogs the upper one alone", async () => {
    const page = await openNetwork();
    await page.getByRole("button", { name: "More for sea 003.bin" }).press("Enter");
    await page.getByRole("menuitem", { name: "More like this" }).press("Enter");
    const lower = page.getByRole("dialog", { name: "Like sea 003.bin" });
    await lower.waitFor();
    await page.evaluate(() => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", `ipfs://bafkrei${"b".repeat(52)}\nipfs://bafkrei${"c".repeat(52)}`);
      document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
    });
    const upper = page.getByRole("dialog", { name: "2 files" });
    await upper.waitFor();
    await page.evaluate(() => history.back());
    await upper.waitFor({ state: "detached" });
    expect(await lower.isVisible()).toBe(true);
  });

  test("finds the keys at the button of a menu that was open when they left", async () => {
    const page = await openNetwork();
    const more = page.getByRole("button", { name: "More for sea 057.bin" });
    await more.press("Enter");
    await page.getByRole("menuitem", { name: "More like this" }).press("ArrowDown");
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: "Nothing here" }).waitFor();
    await page.goForward();
    await more.waitFor();
    expect(await isFocused(more)).toBe(true);
  });

  test("finds the keys in no row after they have pointed elsewhere on the screen", async () => {
    const page = await openNetwork();
    const row = page.getByRole("link", { name: "sea 003.bin" });
    await row.focus();
    await page.getByRole("heading", { level: 1, name: "Network" }).click();
    await page.getByRole("link", { name: "Peers" }).click();
    await page.getByRole("heading", { level: 1, name: "Peers" }).waitFor();
    await page.goBack();
    await row.waitFor();
    expect(await isFocused(page.getByRole("main"))).toBe(true);
  });

  test("finds the keys at the path where they were of a file that a folder has twice", async () => {
    const { client } = session.own;
    const { file_id } = await client.upload(new Uint8Array(3), { name: "empty.bin" });
    const files = ["day 1/empty.bin", "day 2/empty.bin"].map((path) => ({ path, file_id }));
    await client.makeFolder({ name: "days", files });
    const page = await session.open("#/files");
    await page.getByRole("button", { name: /^days/ }).press("Enter");
    const rows = page.getByRole("list", { name: "Files of days" }).getByRole("listitem");
    const row = rows.filter({ hasText: "day 2" }).getByRole("button").first();
    await row.focus();
    await page.getByRole("link", { name: "Peers" }).press("Enter");
    await page.getByRole("heading", { level: 1, name: "Peers" }).waitFor();
    await page.goBack();
    await row.waitFor();
    expect(await isFocused(row)).toBe(true);
  });

  test("finds what they had typed in a setting and in the forms of vectors", async () => {
    const index = new Client(session.own.url, { apiKey: session.own.apiKey });
    await index.add(1, [1, 0, 0]);
    const page = await session.open("#/settings");
    const name = page.getByLabel("Name", { exact: true });
    const thereAndBack = async () => {
      await page.evaluate(() => {
        location.hash = "#/nothing-here";
      });
      await page.getByRole("heading", { level: 1, name: "Nothing here" }).waitFor();
      await page.goBack();
    };
    await name.fill("Ada's laptop");
    await thereAndBack();
    await page.getByRole("button", { name: "Save Name" }).waitFor();
    expect(await name.inputValue()).toBe("Ada's laptop");

    await page.evaluate(() => {
      location.hash = "#/vectors";
    });
    const fields = ["Vector, or the id of one", "Filter (SQL), if any", "Hits", "Id"];
    fields.push("One SELECT over the table metadata");
    await page.getByText("By hand, one at a time").click();
    for (const [at, label] of fields.entries()) await page.getByLabel(label, { exact: true }).fill(`${at}`);
    await thereAndBack();
    const values = fields.map((label) => page.getByLabel(label, { exact: true }).inputValue());
    expect(await Promise.all(values)).toEqual(fields.map((_, at) => `${at}`));
    await page.getByLabel("Id", { exact: true }).click({ trial: true });
  });

  test("is led to the part of the settings that an address names, and back to the one before", async () => {
    const page = await session.open("#/settings/storage");
    const name = (part: string) => page.getByRole("heading", { level: 2, name: part }).getByRole("link");
    const isAt = (part: string) =>
      expect.poll(() => name(part).evaluate((link) => link.getBoundingClientRect().top)).toBeLessThan(100);
    await isAt("Storage");
    expect(await isFocused(name("Storage"))).toBe(true);
    // Without scrolling to what is clicked.
    await name("Speed").evaluate((link: HTMLElement) => link.click());
    await isAt("Speed");
    const typed = page.getByLabel("Most upload, MB/s");
    await typed.fill("7");
    expect(new URL(page.url()).hash).toBe("#/settings/speed");
    const left = await scrolled(page);
    await page.getByRole("link", { name: "Peers" }).click();
    await page.getByRole("link", { name: /this node a name|Change its name/ }).click();
    await isAt("This node");
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: "Peers" }).waitFor();
    await page.goBack();
    await expect.poll(() => scrolled(page)).toBe(left);
    expect(await typed.inputValue()).toBe("7");
    await page.goBack();
    await isAt("Storage");
  });
});
