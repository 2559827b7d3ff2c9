/** What the page does about being left or left alone: it asks, keeps the screen awake, and tells of what came meanwhile. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../interop/until.ts";
import { UiSession } from "./ui-session.ts";

let session: UiSession;
beforeAll(async () => {
  session = await UiSession.start();
});
afterAll(async () => {
  await session[Symbol.asyncDispose]();
});

/** What the browser was asked for, in place of doing it; and whether anybody looks. */
const RECORDED = `
  window.asked = [];
  window.isHidden = false;
  Object.defineProperty(document, "visibilityState", { get: () => (isHidden ? "hidden" : "visible") });
  Object.defineProperty(navigator, "wakeLock", { value: { request: async (type) => {
    asked.push("awake: " + type);
    return { release: async () => asked.push("asleep") };
  } } });
  navigator.setAppBadge = async (count) => asked.push("badge " + count);
  window.Notification = class {
    static permission = "granted";
    constructor(title, { body }) { asked.push(title + ": " + body); }
  };
`;

const asked = (page: Page) => page.evaluate<string[]>("asked");

async function look(page: Page, away: boolean): Promise<void> {
  await page.evaluate(`isHidden = ${away}; document.dispatchEvent(new Event("visibilitychange"))`);
}

/** The page, of which others download at so many bytes a second as `speed.up` says. */
async function openRecorded(speed: { up: number }): Promise<Page> {
  const page = await session.open("#/files", { locale: "en-GB" });
  await page.addInitScript(RECORDED);
  await page.route("**/api/v1/system/stats", async (route) => {
    const response = await route.fetch();
    const stats = await response.json();
    stats.network.upload_speed = speed.up;
    await route.fulfill({ response, json: stats });
  });
  await page.reload();
  await page.locator(".status-line.running").waitFor();
  return page;
}

/** From then on its name is known. */
async function untilOffered(fileId: string): Promise<void> {
  await until("the file is offered", async () => {
    const { files } = await session.own.client.networkFiles();
    return files.some(({ id }) => id === fileId);
  });
}

it("tells of a download that ends while nobody looks, by a notification and a badge that goes when somebody does", async () => {
  const other = await session.startOther([]);
  const path = join(other.folder, "shared", "tide tables.txt");
  await writeFile(path, "High water at noon");
  const { file_id: fileId } = await other.client.share(path);
  await untilOffered(fileId);
  const page = await openRecorded({ up: 0 });
  await look(page, true);
  await session.own.client.download({ file_id: fileId });
  await expect
    .poll(() => asked(page))
    .toEqual(["badge 1", "Download complete: tide tables.txt is here, all of it checked."]);
  await look(page, false);
  expect(await asked(page)).toContain("badge 0");

  // The files of a folder are told of together.
  const texts = ["one", "two", "three"].map((name) => ({ name, bytes: new TextEncoder().encode(name) }));
  const files = await Promise.all(
    texts.map(async ({ name, bytes }) => ({ path: name, ...(await other.client.upload(bytes, { name })) })),
  );
  const { file_id: listId } = await other.client.makeFolder({ name: "tides", files });
  await untilOffered(listId);
  await session.own.client.download({ file_id: listId });
  await page.locator(".toast").getByText("tides can be opened: what is in it is known here.").waitFor();
  await page.getByRole("button", { name: /^tides 0 of 3 files here/ }).waitFor();
  await look(page, true);
  await page.evaluate("asked.length = 0");
  // However long they take to come, no time passes for the page meanwhile.
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 1_000);
  for (const { file_id, name } of files) await session.own.client.download({ file_id, name });
  await until("all of them are here", async () => {
    const { transfers } = await session.own.client.transfers({ all: true });
    return files.every(({ file_id: id }) =>
      transfers.some(({ file_id, status }) => file_id === id && status === "completed"),
    );
  });
  await page.clock.resume();
  await expect
    .poll(async () => (await asked(page)).filter((words) => !/awake|asleep/.test(words)))
    .toEqual(["badge 1", "Download complete: tides is here: 3 files, all of them checked."]);
});

it("tells of a file that a peer sends while nobody looks", async () => {
  const other = await session.startOther(["--name", "Ada's laptop"]);
  const page = await openRecorded({ up: 0 });
  await look(page, true);
  const { file_id: fileId } = await other.client.upload(new TextEncoder().encode("Dear you"), {
    name: "letter.txt",
  });
  await until("the peer is connected", async () => (await other.client.peers()).total > 0);
  await other.client.invite((await session.own.client.nodeInfo()).node_id, fileId);
  await expect
    .poll(() => asked(page))
    .toContainEqual(expect.stringMatching(/ sends you a file: letter\.txt$/));
});

describe("while others download from it, the page", () => {
  it("keeps the screen awake as long as somebody looks, and no longer", async () => {
    const speed = { up: 1000 };
    const page = await openRecorded(speed);
    await expect.poll(() => asked(page)).toEqual(["awake: screen"]);
    await look(page, true);
    await expect.poll(() => asked(page)).toEqual(["awake: screen", "asleep"]);
    await look(page, false);
    await expect.poll(() => asked(page)).toEqual(["awake: screen", "asleep", "awake: screen"]);
    speed.up = 0;
    await expect.poll(() => asked(page)).toEqual(["awake: screen", "asleep", "awake: screen", "asleep"]);
  });

  it("asks before it is left, and not afterwards", async () => {
    const speed = { up: 1000 };
    const page = await openRecorded(speed);
    await page.getByText("1 kB/s").waitFor();
    // Browsers ask only where a person has done something.
    await page.getByRole("heading", { name: "Files", level: 1 }).click();
    const question = page.waitForEvent("dialog");
    const left = page.close({ runBeforeUnload: true });
    const dialog = await question;
    expect(dialog.type()).toBe("beforeunload");
    await dialog.dismiss();
    await left;
    speed.up = 0;
    await page.getByText("1 kB/s").waitFor({ state: "detached" });
    const closed = page.waitForEvent("close");
    await page.close({ runBeforeUnload: true });
    await closed;
  });
});
