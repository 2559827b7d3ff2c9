/** The built page where the browser gives it no more room: what is refused, what a person is told, what is left. */
import { randomBytes } from "node:crypto";
import type { CDPSession } from "playwright";
import { afterAll, beforeAll, expect, it } from "vitest";
import { BATCH_BYTES } from "../../src/browser/limits.ts";
import { type OpenPage, PageSite } from "./open-page.ts";

const MB = 1_000_000;

/** What the page itself takes up, and some files of a few MB. */
const ROOM_BYTES = 20 * MB;

let site: PageSite;
let opened: OpenPage;
let devTools: CDPSession;
beforeAll(async () => {
  site = await PageSite.start();
  // Before anything is stored: Chromium reckons for half a minute with the room that it once saw.
  opened = await site.openUnready("/", {
    prepare: async (page) => {
      devTools = await page.context().newCDPSession(page);
      await giveRoom(ROOM_BYTES);
    },
  });
  await opened.ready();
});
afterAll(() => site[Symbol.asyncDispose]());

/** As much as there is without a number. */
async function giveRoom(quotaSize?: number): Promise<void> {
  const { origin } = new URL(site.host.pageUrl);
  await devTools.send("Storage.overrideQuotaForOrigin", {
    origin,
    ...(quotaSize !== undefined && { quotaSize }),
  });
}

it("says what helps beside a file that finds no room, and keeps what was there", async () => {
  const { page } = opened;
  const kept = await opened.shareRandom(2 * MB, "kept.bin");
  await page.getByLabel("Files to share").evaluate((input: HTMLInputElement, sizeBytes) => {
    const picked = new DataTransfer();
    // Each chunk is another: equal ones would take the room of one.
    const bytes = new Uint8Array(sizeBytes).map((_, at) => at >> 20);
    picked.items.add(new File([bytes], "film.bin"));
    input.files = picked.files;
    input.dispatchEvent(new Event("change", { bubbles: true }));
  }, 30 * MB);
  const told = "The browser gives this site no more room. Delete files here";
  await page.locator(".import-row").getByText(told).waitFor();
  await page.getByRole("alert").getByText(told).waitFor();
  await page.getByRole("button", { name: "Try again" }).waitFor();
  await page.locator(".import-row").getByRole("link", { name: "See storage in Settings" }).click();
  await page.getByRole("progressbar", { name: "Room taken" }).waitFor();
  expect(await opened.contentHash(kept.fileId)).toBe(kept.sha256);
});

it("answers 507 to code of its origin, in the node's shape", async () => {
  const answer = await opened.page.evaluate(async (sizeBytes) => {
    const headers = {
      Authorization: `Bearer ${await window.shoal.apiKey()}`,
      "Content-Type": "application/octet-stream",
    };
    const body = new Blob([new Uint8Array(sizeBytes).map((_, at) => 255 - (at >> 20))]);
    const response = await fetch("/api/v1/files?name=large.bin", { method: "POST", headers, body });
    return [response.status, await response.json()];
  }, 30 * MB);
  expect(answer).toEqual([507, { error: true, code: 507, message: expect.stringContaining("no more room") }]);
});

it("fails a download in the middle, and goes on with it once a file made room", async () => {
  const { page } = opened;
  // Some versions of Chromium keep for long what the refused files took.
  const usage = await page.evaluate(async () => (await navigator.storage.estimate()).usage ?? 0);
  // Two transactions of chunks, which may be under way at once, find room, and not the file, whatever of that is freed.
  await giveRoom(usage + 3 * BATCH_BYTES);
  const series = randomBytes(10 * BATCH_BYTES);
  const { file_id: fileId } = await site.host.client.upload(series, { name: "series.bin" });
  const first = await opened.download(fileId);
  expect(first.event).toBe("transfer_failed");
  await page.getByRole("link", { name: "Transfers" }).click();
  await page.getByText(/no more room\. Delete files here.*\. Make room and try again: /).waitFor();
  await page.getByRole("main").getByRole("link", { name: "Delete files" }).waitFor();
  await page.getByRole("main").getByRole("link", { name: "See storage in Settings" }).waitFor();
  await giveRoom();
  await page.getByRole("button", { name: /^Try again / }).click();
  await opened.transferEvent(first.transferId, ["transfer_complete"]);
});

it("says why its index can't be opened, and opens it once there is room", async () => {
  const { page } = opened;
  await giveRoom(1);
  await page.getByRole("link", { name: "Vectors" }).click();
  await page.getByRole("heading", { name: "The index can't be opened" }).waitFor();
  await page.locator("main").getByText("The browser gives this site no more room.").waitFor();
  await giveRoom();
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("heading", { name: "No vectors yet" }).waitFor();
});
