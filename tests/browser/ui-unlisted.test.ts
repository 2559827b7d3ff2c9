/** What is shared unlisted on the page: no peer sees it, and its link leads to it. */
import { afterAll, beforeAll, expect, it } from "vitest";
import type { ShoalProcess } from "../interop/shoal-process.ts";
import { until } from "../interop/until.ts";
import { faultsOf } from "./ui-checks.ts";
import { PHONE, UiSession } from "./ui-session.ts";

let session: UiSession;
let ada: ShoalProcess;
beforeAll(async () => {
  session = await UiSession.start();
  ada = await session.startOther([]);
  await until("the peers have met", async () => (await session.own.client.peers()).total > 0);
});
afterAll(async () => {
  await session[Symbol.asyncDispose]();
});

const seenByAda = async () => (await ada.client.networkFiles()).files.map(({ name }) => name);

it("files are shared unlisted from when that is chosen, and listed one by one", async () => {
  const page = await session.open("#/files", PHONE);
  const choice = page.getByRole("switch", { name: "Unlisted" });
  await page.getByText("Your peers see the name of what you share").waitFor();
  await choice.click();
  await page.getByText("only who has its link gets it").waitFor();
  await page
    .getByLabel("Files to share")
    .setInputFiles({ name: "diary.txt", mimeType: "text/plain", buffer: Buffer.from("Dear diary") });
  const card = page.getByRole("region", { name: "Just shared" });
  await card.getByText("is shared").waitFor();
  expect(await card.getByLabel("Link").inputValue()).toContain("unlisted=1");
  const row = page.getByRole("listitem").filter({ hasText: "diary.txt" });
  await row.getByText("· unlisted").waitFor();
  expect(await faultsOf(page, "unlisted")).toEqual([]);
  await session.own.client.upload(new TextEncoder().encode("for all"), { name: "known.txt" });
  await expect.poll(seenByAda, { timeout: 20_000 }).toEqual(["known.txt"]);

  await row.getByRole("button", { name: "More for diary.txt" }).click();
  await page.getByRole("menuitem", { name: "List it for my peers" }).click();
  await page.getByText("is listed: your peers see it now").waitFor();
  await row.getByText("· unlisted").waitFor({ state: "detached" });
  await expect.poll(seenByAda, { timeout: 20_000 }).toContain("diary.txt");
  await row.getByRole("button", { name: "More for diary.txt" }).click();
  await page.getByRole("menuitem", { name: "Unlist: only by its link" }).click();
  await row.getByText("· unlisted").waitFor();
  await expect.poll(seenByAda, { timeout: 20_000 }).toEqual(["known.txt"]);

  await page.reload();
  await expect.poll(() => choice.isChecked()).toBe(true);
  await choice.click();
});

it("a folder is unlisted with its files, and so is its link", async () => {
  const page = await session.open("#/files");
  await page.getByRole("switch", { name: "Unlisted" }).click();
  await page
    .getByLabel("Files to share")
    .setInputFiles(
      ["one.txt", "two.txt"].map((name) => ({ name, mimeType: "text/plain", buffer: Buffer.from(name) })),
    );
  await page.getByText("2 files are shared").waitFor();
  await page.getByRole("button", { name: "QR code" }).click();
  const dialog = page.getByRole("dialog");
  expect(await dialog.getByRole("textbox", { name: "Link" }).inputValue()).toContain("unlisted=1");
  const { files } = await session.own.client.files();
  const shared = files.filter(({ name }) => /^one|^two/.test(name));
  expect(shared.map(({ unlisted }) => unlisted)).toEqual([true, true, true]);
});

it("what an unlisted link leads to comes, and is told of to nobody", async () => {
  const bytes = new TextEncoder().encode("Ada's own");
  const { file_id: fileId } = await ada.client.upload(bytes, { name: "letter.txt", unlisted: true });
  const page = await session.open(`#/get/${fileId}?name=letter.txt&unlisted=1`);
  await page.getByRole("button", { name: "Get this file" }).click();
  await page.getByRole("button", { name: "Open" }).waitFor();
  expect(await session.own.client.file(fileId)).toMatchObject({ complete: true, unlisted: true });
});
