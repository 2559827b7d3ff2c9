/** Several files got at once: of links that were pasted together, and of those that a search found. */
import { randomBytes } from "node:crypto";
import type { Page } from "playwright";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ASKED_AT_ONCE } from "../../src/ui/limits.ts";
import { deferred } from "../deferred.ts";
import type { ShoalProcess } from "../interop/shoal-process.ts";
import { axeViolations, sidewaysPixels } from "./ui-checks.ts";
import { PHONE, UiSession } from "./ui-session.ts";

const NAMES = ["one.bin", "two.bin", `a name of a great many letters ${"and ".repeat(30)}no end.bin`];

let session: UiSession;
let other: ShoalProcess;
let links: string[];
beforeAll(async () => {
  session = await UiSession.start();
  other = await session.startOther([]);
  links = [];
  for (const name of NAMES) {
    const { file_id: id } = await other.client.upload(randomBytes(70_000), { name });
    links.push(`https://elsewhere.example/#/get/${id}?name=${encodeURIComponent(name)}&size=70000`);
  }
});
afterAll(async () => {
  await session[Symbol.asyncDispose]();
});

/** As the browser does where the focus is; gives whether it would still put the text there. */
function paste(page: Page, text: string): Promise<boolean> {
  return page.evaluate((pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", pasted);
    const where = document.activeElement ?? document.body;
    return where.dispatchEvent(
      new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }),
    );
  }, text);
}

describe("several files", () => {
  test("pasted into the line for one are shown, and got by one button", async () => {
    const page = await session.open("#/network", PHONE);
    await page.getByLabel("Open a link or a file id").focus();
    expect(await paste(page, links.join("\n"))).toBe(false);
    const dialog = page.getByRole("dialog", { name: "3 files" });
    await dialog.getByText("210 kB to get.").waitFor();
    expect(await dialog.getByRole("listitem").count()).toBe(3);
    expect(await sidewaysPixels(page)).toBe(0);
    expect(await axeViolations(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Get 3 files" }).press("Enter");
    await page.getByRole("heading", { name: "Transfers" }).waitFor();
    for (const name of NAMES) await page.getByRole("button", { name: `Save ${name} to disk` }).waitFor();
    expect(await paste(page, links.join("\n"))).toBe(false);
    await dialog.getByText("All of them are here already.").waitFor();
    expect(await dialog.getByRole("button", { name: "Nothing to get" }).isDisabled()).toBe(true);
  });

  test("written into the line for one, or handed over by the system, are shown as well", async () => {
    const page = await session.open("#/network");
    const line = page.getByLabel("Open a link or a file id");
    await line.fill(links.join(" and "));
    await line.press("Enter");
    expect(new URL(page.url()).hash).toBe("#/network");
    await page.getByRole("dialog", { name: "3 files" }).waitFor();
    const handed = await session.open(`#/open?link=${encodeURIComponent(links.slice(1).join(" "))}`);
    expect(await handed.title()).toBe("Network · Shoal");
    await handed.getByRole("dialog", { name: "2 files" }).waitFor();
    await handed.keyboard.press("Escape");
    await handed.getByRole("heading", { name: "Network" }).waitFor();
    expect(await handed.getByRole("dialog").count()).toBe(0);
  });

  test("handed over by the system and dealt with, are not asked about again by a reload or a step back", async () => {
    const page = await session.open("#/files");
    const dialog = page.getByRole("dialog", { name: "2 files" });
    for (const leave of [() => page.keyboard.press("Escape"), () => page.evaluate(() => history.back())]) {
      await page.evaluate(
        (hash) => {
          location.hash = hash;
        },
        `#/open?link=${encodeURIComponent(links.slice(1).join(" "))}`,
      );
      await dialog.waitFor();
      await leave();
      await dialog.waitFor({ state: "detached" });
      expect(await page.evaluate(() => location.hash)).toBe("#/network");
    }
    await page.getByRole("link", { name: "Peers" }).click();
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: "Network" }).waitFor();
    expect(await page.getByRole("dialog").count()).toBe(0);
  });

  test("found by a search are got by one button", async () => {
    for (const name of ["fjord a.bin", "fjord b.bin"])
      await other.client.upload(randomBytes(40_000), { name });
    const page = await session.open("#/network", PHONE);
    await page.getByRole("button", { name: "Get fjord b.bin" }).waitFor();
    expect(await page.getByRole("button", { name: "Get all…" }).count()).toBe(0);
    await page.getByLabel("Search the network").fill("fjord");
    await page.getByText("2 matches").waitFor();
    await page.getByRole("button", { name: "Get all…" }).click();
    const dialog = page.getByRole("dialog", { name: "2 files" });
    await dialog.getByText("80 kB to get.").waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Get 2 files" }).click();
    await page.getByRole("button", { name: "Save fjord a.bin to disk" }).waitFor();
    await page.getByRole("button", { name: "Save fjord b.bin to disk" }).waitFor();
  });

  test("closed while it asks, it asks for the rest and leads nowhere", async () => {
    const names = Array.from({ length: ASKED_AT_ONCE + 1 }, (_, at) => `gulf ${at}.bin`);
    for (const name of names) await other.client.upload(randomBytes(40_000), { name });
    const page = await session.open("#/network");
    await page.getByRole("button", { name: `Get ${names.at(-1)}` }).waitFor();
    const goesOn = deferred();
    const isAsked = deferred();
    await page.route("**/transfers/download", async (route) => {
      isAsked.resolve();
      await goesOn.promise;
      await route.continue();
    });
    await page.getByLabel("Search the network").fill("gulf");
    await page.getByRole("button", { name: "Get all…" }).click();
    await page
      .getByRole("dialog")
      .getByRole("button", { name: `Get ${names.length} files` })
      .click();
    await isAsked.promise;
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    goesOn.resolve();
    for (const name of names)
      await page.getByRole("button", { name: `Get ${name}` }).waitFor({ state: "detached" });
    expect(new URL(page.url()).hash).toBe("#/network");
  });

  test("of which some are here before the last is asked for are counted as they were", async () => {
    for (const name of ["creek a.bin", "creek b.bin"])
      await other.client.upload(randomBytes(40_000), { name });
    const page = await session.open("#/network");
    await page.getByRole("button", { name: "Get creek b.bin" }).waitFor();
    const goesOn = deferred();
    let asked = 0;
    await page.route("**/transfers/download", async (route) => {
      asked += 1;
      if (asked > 1) await goesOn.promise;
      await route.continue();
    });
    await page.getByLabel("Search the network").fill("creek");
    await page.getByRole("button", { name: "Get all…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Get 2 files" }).click();
    await dialog.getByText("here already").waitFor();
    await dialog.getByRole("button", { name: "Asking, 1 of 2" }).waitFor();
    goesOn.resolve();
    await page.getByRole("button", { name: "Save creek b.bin to disk" }).waitFor();
  });

  test("in folders whose links are pasted together come with them, and the folders are then here", async () => {
    const linksOf = async (name: string) => {
      const files = await Promise.all(
        ["a.bin", "b.bin"].map(async (path) => {
          const { file_id } = await other.client.upload(randomBytes(40_000), { name: path });
          return { path: `deep/${path}`, file_id };
        }),
      );
      const inner = await other.client.makeFolder({ name: `inner ${name}`, files });
      files.push({ path: `deep/inner ${name}.folder.json`, file_id: inner.file_id });
      const list = await other.client.makeFolder({ name, files });
      return `https://elsewhere.example/#/get/${list.file_id}?name=${name}.folder.json&size=${list.size}`;
    };
    const folders = [await linksOf("fells"), await linksOf("heath")].join("\n");
    const page = await session.open("#/network");
    await page.getByText("fells").first().waitFor();
    await page.getByText("heath").first().waitFor();
    await paste(page, folders);
    const dialog = page.getByRole("dialog", { name: "2 folders" });
    expect(await dialog.getByText("Folder", { exact: true }).count()).toBe(2);
    expect(await dialog.getByText("to get.").count()).toBe(0);
    await dialog.getByRole("button", { name: "Get 2 folders" }).click();
    await page.getByRole("heading", { name: "Transfers" }).waitFor();
    for (const name of ["fells", "heath"])
      await page.getByRole("button", { name: `Save as a ZIP, ${name}` }).waitFor();
    await paste(page, folders);
    await dialog.getByText("All of them are here already.").waitFor();
  });

  test("one link stays in the line that it is pasted into, and is opened with the words around it", async () => {
    const page = await session.open("#/network");
    const line = page.getByLabel("Open a link or a file id");
    await line.focus();
    expect(await paste(page, links[0] ?? "")).toBe(true);
    expect(await page.getByRole("dialog").count()).toBe(0);
    await line.fill(`Here they are: ${links[0]} (till Friday)`);
    await line.press("Enter");
    await page.getByRole("heading", { name: "one.bin" }).waitFor();
    const { hash } = new URL(page.url());
    await page.goBack();
    await line.fill(`It is here (${links[0]}).`);
    await line.press("Enter");
    await page.getByRole("heading", { name: "one.bin" }).waitFor();
    expect(new URL(page.url()).hash).toBe(hash);
  });
});
