/** The screen of vectors on the built page, whose index runs in the page itself. */
import { readFile } from "node:fs/promises";
import { Table, tableToIPC, vectorFromArray } from "apache-arrow";
import type { Page } from "playwright";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { vectorSchema } from "../../src/vx/arrow/read-arrow.ts";
import { type OpenPage, PageSite } from "./open-page.ts";
import { faultsOf, isFocused, showAnew } from "./ui-checks.ts";

const DIMENSION = 384;

let site: PageSite;
let opened: OpenPage;
let page: Page;
beforeAll(async () => {
  site = await PageSite.start();
  opened = await site.open("/#/vectors");
  page = opened.page;
});
beforeEach(async () => {
  await showAnew(page, "#/vectors");
  await page.locator(".index-figures").waitFor();
});
afterAll(() => site[Symbol.asyncDispose]());

function axisVector(axis: number): number[] {
  return Array.from({ length: DIMENSION }, (_, at) => (at === axis ? 1 : 0));
}

/** Each test goes on with what those before it left in the index. */
describe("the screen of vectors", () => {
  it("takes a JSON file and an Arrow file", async () => {
    const records = [1, 2].map((id) => ({ id, vector: axisVector(id), metadata: { from: "json" } }));
    const input = page.getByLabel("File of vectors");
    await input.setInputFiles({
      name: "two.json",
      mimeType: "application/json",
      buffer: Buffer.from(JSON.stringify(records)),
    });
    await page.getByText("2 vectors added from two.json.").waitFor();
    const { fields } = vectorSchema(DIMENSION);
    const table = new Table({
      id: vectorFromArray([3n, 4n, 5n], fields[0]?.type),
      vector: vectorFromArray([3, 4, 5].map(axisVector), fields[1]?.type),
      from: vectorFromArray(["arrow", "arrow", "arrow"]),
    });
    const arrow = Buffer.from(tableToIPC(table, "file"));
    await input.setInputFiles({ name: "three.arrow", mimeType: "application/octet-stream", buffer: arrow });
    await page.getByText("3 vectors added from three.arrow").waitFor();
    await page.getByText(/^5 of 5 vectors/).waitFor();
    expect(await opened.call("/vectors/4")).toMatchObject({ body: { metadata: { from: "arrow" } } });

    await input.setInputFiles({
      name: "cut.arrow",
      mimeType: "application/octet-stream",
      buffer: arrow.subarray(0, -4),
    });
    await page.getByText("This Arrow file is cut off").waitFor();
    await input.setInputFiles({
      name: "cut.json",
      mimeType: "application/json",
      buffer: Buffer.from(JSON.stringify(records).slice(0, -9)),
    });
    await page.getByText("Nothing of it was added: The file is not valid JSON.").waitFor();
    await input.setInputFiles({
      name: "short.json",
      mimeType: "application/json",
      buffer: Buffer.from(JSON.stringify([{ id: 8, vector: [1, 2, 3] }])),
    });
    await page
      .getByText(/expected \d+, got 3\. .* headless node of its own \(shoal vx --vx-dimension\)/)
      .waitFor();

    const record = (id: number, vector: number[]) =>
      new Table({
        id: vectorFromArray([BigInt(id)], fields[0]?.type),
        vector: vectorFromArray([vector], fields[1]?.type),
      });
    const twoBatches = record(6, axisVector(6)).concat(record(7, axisVector(7).fill(Number.NaN)));
    await input.setInputFiles({
      name: "half.arrows",
      mimeType: "application/octet-stream",
      buffer: Buffer.from(tableToIPC(twoBatches, "stream")),
    });
    await page
      .getByText("Added is what stands before the first batch that can't be, which may be nothing:")
      .waitFor();
    await page.getByText(/^6 of 6 vectors/).waitFor();
    for (const id of [1, 2, 3, 4, 5, 6]) await opened.call(`/vectors/${id}`, "DELETE");
  });

  it("fills an empty index, draws all of it, and breaks no rule of accessibility on the way", async () => {
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: /made-up vectors/ }).click();
    await page.getByText(/^600 of 600 vectors/).waitFor();
    await page.getByLabel("Vector, or the id of one").fill("7");
    // Screen readers hear what comes into a place that was there before.
    const told = await page.locator(".hit-list").getByRole("status").elementHandle();
    await page.getByRole("button", { name: "Search" }).click();
    await page.locator(".hit-list li").nth(9).waitFor();
    expect(await told?.textContent()).toContain("10 hits like 7");
    await page.locator(".hit-list li button").first().click();
    await page.getByRole("heading", { name: "Vector 7" }).waitFor();
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByText(/^20 rows/).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    expect(opened.complaints).toEqual([]);
  });

  it("finds what is like a vector, filtered by its metadata, and lights the hits in the picture", async () => {
    await page.getByText(/^600 of 600 vectors/).waitFor();
    await page.getByLabel("Vector, or the id of one").fill("7");
    await page.getByLabel(/Filter/).fill("kind = 'herring'");
    await page.getByRole("button", { name: "Search" }).click();
    const hits = page.locator(".hit-list li");
    await hits.nth(9).waitFor();
    // 7 is a sardine itself, so that only the filter can have chosen these.
    for (const text of await hits.allTextContents()) expect(text).toContain("kind: herring");
    // Painted with the next frame.
    const marked = () =>
      page.evaluate(() => {
        const canvas = document.querySelector(".scatter canvas") as HTMLCanvasElement;
        canvas.style.color = "var(--mark)";
        const mark = getComputedStyle(canvas).color.match(/\d+/g)?.map(Number) ?? [];
        const { data } = (canvas.getContext("2d") as CanvasRenderingContext2D).getImageData(
          0,
          0,
          canvas.width,
          canvas.height,
        );
        let count = 0;
        for (let at = 0; at < data.length; at += 4) {
          if (data[at] === mark[0] && data[at + 1] === mark[1] && data[at + 2] === mark[2]) count += 1;
        }
        return count;
      });
    await expect.poll(marked).toBeGreaterThan(100);
    // A list equals no text: what to write is told where nothing is found.
    await page.getByLabel(/Filter/).fill("tags = 'b'");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByText("json_array_contains(tags, 'b')").waitFor();
  });

  it("keeps the colours that tell of points where the system forces its own", async () => {
    await page.emulateMedia({ forcedColors: "active" });
    await showAnew(page, "#/vectors");
    await page.getByRole("list", { name: "Colours" }).getByRole("listitem").nth(4).waitFor();
    const colours = await page.evaluate(() => {
      const canvas = document.querySelector(".scatter canvas") as HTMLCanvasElement;
      const painted = ["var(--mark)", "var(--ink-2)", "var(--peer-1)"].map((colour) => {
        canvas.style.color = colour;
        return getComputedStyle(canvas).color;
      });
      const keys = [...document.querySelectorAll(".colour-key li")].map(
        (key) => getComputedStyle(key, "::before").backgroundColor,
      );
      return { painted, keys };
    });
    await page.emulateMedia({ forcedColors: null });
    expect(new Set(colours.painted).size).toBe(3);
    expect(new Set(colours.keys).size).toBe(colours.keys.length);
    expect(colours.keys).toContain(colours.painted[2]);
  });

  it("is walked through by arrow keys", async () => {
    await page.getByRole("application", { name: /principal components/ }).focus();
    await page.keyboard.press("ArrowRight");
    const heading = page.getByRole("heading", { name: /^Vector \d+$/ });
    await heading.waitFor();
    const first = await heading.textContent();
    await page.keyboard.press("ArrowRight");
    await page
      .getByRole("heading", { name: /^Vector \d+$/ })
      .filter({ hasNotText: new RegExp(`^${first}$`) })
      .waitFor();
  });

  it("searches at Enter, and asks an example of SQL at once", async () => {
    await page.getByText(/^600 of 600 vectors/).waitFor();
    const query = page.getByLabel("Vector, or the id of one");
    await query.fill("7");
    await query.press("Enter");
    await page.locator(".hit-list li").nth(9).waitFor();
    expect(await query.inputValue()).toBe("7");
    await page.getByRole("button", { name: "Count by value" }).press("Enter");
    await page
      .getByRole("status")
      .filter({ hasText: /^5 rows in/ })
      .waitFor();
  });

  it("deletes what the keyboard picked, which stays at the picture and can take that back", async () => {
    const picture = page.getByRole("application");
    await picture.press("ArrowRight");
    await page.getByRole("button", { name: "Delete this vector" }).press("Enter");
    await page.getByText(/^599 of 599 vectors/).waitFor();
    expect(await isFocused(picture)).toBe(true);
    // As with Caps Lock.
    await page.keyboard.press("Control+Z");
    await page.getByText(/^Vector \d+ is back\.$/).waitFor();
    await page.getByText(/^600 of 600 vectors/).waitFor();
    expect(await isFocused(picture)).toBe(true);
  });

  it("says at the field what is wrong, and how it should be", async () => {
    const search = page.getByRole("button", { name: "Search" });
    await page.getByLabel("Vector, or the id of one").fill("[1, 2, 3]");
    await search.click();
    await page.getByText(`This index takes vectors of ${DIMENSION} numbers; here are 3.`).waitFor();
    await page.getByLabel("Vector, or the id of one").fill("1");
    await page.getByLabel(/Filter/).fill("kind = = 3");
    await search.click();
    await page.locator(".search-panel .error").waitFor();
    expect(await page.getByLabel(/Filter/).getAttribute("aria-invalid")).toBe("true");
    await page.getByLabel("One SELECT over the table metadata").fill("DELETE FROM metadata");
    await page.getByRole("button", { name: "Run" }).click();
    await page.locator(".sql-box .error").waitFor();
    await page.getByText("By hand, one at a time").click();
    const form = page.locator(".add-vectors-by-hand form");
    await form.getByLabel("Id").fill("1");
    await form.getByLabel("Vector").fill(JSON.stringify(axisVector(1)));
    await form.getByLabel("Metadata, if any").fill('{"__proto__": 1}');
    await form.getByRole("button", { name: "Add" }).click();
    await form.locator(".error").waitFor();
    expect(await form.getByLabel("Metadata, if any").getAttribute("aria-invalid")).toBe("true");
  });

  it("gives back the vector that one added by hand took the place of", async () => {
    await page.getByText("By hand, one at a time").click();
    const form = page.locator(".add-vectors-by-hand form");
    const picked = page.getByRole("article", { name: "Vector 1", exact: true });
    await form.getByLabel("Id").fill("1");
    await form.getByLabel("Vector").fill(JSON.stringify(axisVector(1)));
    await form.getByLabel("Metadata, if any").fill('{"title": "by hand"}');
    await form.getByRole("button", { name: "Add" }).click();
    await picked.getByText("by hand").waitFor();
    await page.getByText("This is vector 1 now, in place of the one before.").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await picked.getByText("by hand").waitFor({ state: "detached" });
    await picked.waitFor();
  });

  it("says when an answer in SQL is the first of its rows, and shows none for a query that fails", async () => {
    const query = page.getByLabel("One SELECT over the table metadata");
    await query.fill("SELECT a.id FROM metadata a, metadata b, metadata c");
    await query.press("Control+Enter");
    await page.getByText(/^The first 10,000 rows in/).waitFor();
    await query.fill("SELECT a.id FROM metadata a, metadata b, metadata c LIMIT 10000");
    await query.press("Control+Enter");
    await page.getByText(/^10,000 rows in/).waitFor();
    await query.fill("SELECT nothing FROM metadata");
    await query.press("Control+Enter");
    await page.locator(".sql-box .error").waitFor();
    expect(await page.getByRole("region", { name: "Rows" }).count()).toBe(0);
  });

  it("keeps the buttons of its picture, and a button's lines, within their frames under large letters", async () => {
    const before = page.viewportSize();
    await page.setViewportSize({ width: 320, height: 740 });
    await page.evaluate(() => {
      document.documentElement.style.fontSize = "1.875rem";
    });
    const tools = await page.locator(".scatter-tools .button").first().boundingBox();
    const picture = await page.locator(".scatter").boundingBox();
    expect(tools?.x ?? 0).toBeGreaterThan(picture?.x ?? 0);
    const air = await page.getByRole("button", { name: "Count by value" }).evaluate((button) => {
      const words = button.querySelector("span")?.getBoundingClientRect();
      return (words?.top ?? 0) - button.getBoundingClientRect().top;
    });
    expect(air).toBeGreaterThan(4);
    await page.evaluate(() => {
      document.documentElement.style.fontSize = "";
    });
    if (before !== null) await page.setViewportSize(before);
  });

  it("backs the index up and restores what was uploaded from the download", async () => {
    await page.getByRole("button", { name: "Back up now" }).click();
    const entry = page.locator(".backups-list li");
    await entry.waitFor();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      entry.getByRole("button", { name: /^Download/ }).click(),
    ]);
    const archive = await download.path();
    await opened.call("/vectors/7", "DELETE");
    await page.getByLabel("Archive to upload").setInputFiles({
      name: "brought back.zip",
      mimeType: "application/zip",
      buffer: await readFile(archive),
    });
    await page.getByText("brought-back.zip is here.").waitFor();
    await entry.filter({ hasText: "brought-back.zip" }).filter({ hasText: "All of the index" }).waitFor();
    await page.getByRole("button", { name: "Restore brought-back.zip" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Restore" }).click();
    await page.getByText("Restored: the index holds 600 vectors.").waitFor();
    expect(await opened.call("/vectors/7")).toMatchObject({ status: 200 });
    await page.getByRole("button", { name: "Delete brought-back.zip" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("brought-back.zip is deleted.").waitFor();
    await entry.filter({ hasText: "brought-back.zip" }).waitFor({ state: "detached" });
    expect(await entry.count()).toBe(1);
    const onlyChanges = page.getByRole("button", { name: "Only what changed" });
    await onlyChanges.press("Enter");
    await page.getByText(/^Backup written: /).waitFor();
    // Until the list tells of it the button waits, and hears no key.
    await entry.nth(1).waitFor();
    expect(await isFocused(onlyChanges)).toBe(true);
    // The first after a restore is of the whole index.
    await onlyChanges.press("Enter");
    await page.getByText(/^Backup written: .*since the last/).waitFor();
    await entry.filter({ hasText: "What changed since vx-" }).waitFor();
  });

  it("has its buttons in columns on a phone, and a backup's name whole", async () => {
    const boxes = (selector: string) =>
      page
        .locator(selector)
        .evaluateAll((all) => all.map((element) => element.getBoundingClientRect().toJSON() as DOMRect));
    // The list comes when it has been read.
    await page.locator(".backups-list bdi").first().waitFor();
    const before = page.viewportSize();
    await page.setViewportSize({ width: 360, height: 740 });
    const columns = [await boxes(".sql-box-actions button"), await boxes(".backups-actions button")];
    const [name] = await boxes(".backups-list bdi");
    if (before !== null) await page.setViewportSize(before);
    for (const buttons of columns) expect(new Set(buttons.map(({ width }) => width)).size).toBe(1);
    expect(name?.height).toBeLessThan(30);
  });
});
