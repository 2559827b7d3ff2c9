/** Folders on the page: shared under one link, opened by it, got by one button. */
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unzipSync } from "fflate";
import type { Page } from "playwright";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Folder } from "../../src/api/folders.ts";
import { ROWS_A_PAGE } from "../../src/ui/limits.ts";
import type { Transfer } from "../../src/ui/state/entries.ts";
import type { ShoalProcess } from "../interop/shoal-process.ts";
import { until } from "../interop/until.ts";
import {
  axeViolations,
  drawnAtFirst,
  faultsOf,
  isFocused,
  showAnew,
  sidewaysPixels,
  untilTold,
} from "./ui-checks.ts";
import { PHONE, UiSession } from "./ui-session.ts";

let session: UiSession;
let other: ShoalProcess;
let disk: string;
beforeAll(async () => {
  session = await UiSession.start();
  other = await session.startOther([]);
  disk = await mkdtemp(join(tmpdir(), "shoal-test-"));
});
afterAll(async () => {
  await session[Symbol.asyncDispose]();
  await rm(disk, { recursive: true, force: true });
});

/** Put by a person, with what is in it. `also`: files that are there already. */
async function make({ client }: ShoalProcess, name: string, paths: string[], also: Folder["files"] = []) {
  const files = await Promise.all(
    paths.map(async (path) => {
      const shared = await client.upload(randomBytes(50_000), { name: path.split("/").at(-1) ?? path });
      return { path, file_id: shared.file_id };
    }),
  );
  const { file_id: id } = await client.makeFolder({
    name,
    files: [...files, ...also.map(({ path, file_id }) => ({ path, file_id }))],
  });
  return { id, files: (await client.folder(id)).files };
}

/** The link to what another person put. */
async function theirs(name: string, paths: string[]): Promise<string> {
  const { id } = await make(other, name, paths);
  return `#/get/${id}?name=${encodeURIComponent(`${name}.folder.json`)}`;
}

/**
 * Another person's folder of three files, of which one has come, one that is paused is with nobody, and one was not
 * asked for.
 */
async function comePartly(name: string): Promise<{ id: string; lost: string }> {
  const { client } = session.own;
  const { id, files } = await make(other, name, ["come.bin", "lost.bin", "left.bin"]);
  const [come, , lost] = files.map(({ file_id }) => file_id);
  if (come === undefined || lost === undefined) throw new Error("It has three files");
  await client.download({ file_id: id });
  await client.download({ file_id: come });
  await other.client.deleteFile(lost);
  const { transfer_id: transferId } = await client.download({ file_id: lost, name: "lost.bin" });
  await client.pause(transferId);
  // A page that is open when a transfer ends tells of it.
  await until("what is there has come", async () => {
    const { transfers } = await client.transfers({ all: true });
    const ended = transfers.filter(({ status }) => status === "completed").map(({ file_id }) => file_id);
    return ended.includes(id) && ended.includes(come);
  });
  return { id, lost };
}

describe("a folder", () => {
  test("has neither size, name nor kind of its list among what is alike and on the map", async () => {
    const page = await session.open("#/files");
    const list = { id: "bafyfolder", name: "sized.folder.json", size: 412, local: true };
    await page.route("**/files/*/similar?**", (route) =>
      route.fulfill({ json: { files: [{ ...list, peers: [] }], total: 1, ranked_by: "meaning" } }),
    );
    await page.route("**/api/v1/search", (route) =>
      route.fulfill({ json: { state: "ready", indexed: 1, pending: 0, problem: null } }),
    );
    const point = {
      ...list,
      file_id: list.id,
      x: 0,
      y: 0,
      type: "application/json",
      kind: "data",
      holders: 0,
    };
    const file = { ...point, file_id: "bafyfile", name: "a file.txt", kind: "text", size: 1, x: 1 };
    await page.route("**/files/map", (route) => route.fulfill({ json: { points: [point, file], total: 2 } }));
    await page.evaluate(() => {
      location.hash = "#/map";
    });
    await page.getByText("The same as a list").click();
    await page.locator(".point-list").getByRole("button", { name: "sized" }).click();
    await page
      .getByRole("list", { name: /^Files like/ })
      .getByText("sized")
      .waitFor();
    expect(await page.getByText("Folder · here", { exact: true }).count()).toBe(3);
    // Nor is it called, or coloured, as its list.
    const plane = page.getByRole("region", { name: "Files as points" });
    await plane.getByText("Others", { exact: true }).waitFor();
    await plane.getByText(/^.?sized.? · folder · here$/).waitFor();
    await page.getByRole("article", { name: "sized", exact: true }).waitFor();
    await page.getByRole("region", { name: "Others" }).getByText("sized").waitFor();
    expect(await page.getByText("412 bytes").count()).toBe(0);
    expect(await page.locator(".screen-head .figures").textContent()).toBe("1 file, 1 folder");
  });

  test("that was chosen has one link, by which its files can be had at their places", async () => {
    const folder = join(disk, "trip");
    await mkdir(join(folder, "day 1"), { recursive: true });
    await writeFile(join(folder, "notes.txt"), "notes");
    await writeFile(join(folder, "day 1/sea.bin"), randomBytes(1495));
    await writeFile(join(folder, "day 1/.DS_Store"), "of a system");
    const page = await session.open("#/files", PHONE);
    await page.getByLabel("Folder to share").setInputFiles(folder);
    const card = page.getByRole("region", { name: "Just shared" });
    expect(await card.getByRole("heading").textContent()).toBe("trip is shared");
    expect(await card.getByRole("paragraph").textContent()).toMatch(/^2 files, 1.5 kB · send the link/);
    await card.getByRole("button", { name: "Copy one link to all" }).click();
    await page.getByText("Link copied.").waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    const [, id = ""] = /#\/get\/([a-z0-9]+)\?name=trip\.folder\.json&/.exec(link) ?? [];
    const { name, files } = await session.own.client.folder(id);
    expect(name).toBe("trip");
    expect(files.map(({ path }) => path)).toEqual(["day 1/sea.bin", "notes.txt"]);

    await card.getByRole("button", { name: "QR code" }).click();
    const code = page.getByRole("dialog", { name: "trip" });
    await code.getByRole("img", { name: /QR code/ }).waitFor();
    const reach = code.locator(".advice");
    expect(await reach.textContent()).toContain("opens on this device alone, since it begins with 127.0.0.1");
    expect(await axeViolations(page)).toEqual([]);
    await code.getByRole("button", { name: "Close" }).click();

    // In the list it is one row, which has its files beneath it.
    const row = page.getByRole("button", { name: /^trip 2 files, 1.5 kB/ });
    await row.waitFor();
    expect(await page.locator(".files-screen-list > li").count()).toBe(1);
    await page.getByText("2 files, 1.5 kB", { exact: true }).waitFor();
    await row.press("Enter");
    const inIt = page.getByRole("list", { name: "Files of trip" });
    await inIt.getByRole("button", { name: "Copy link to day 1/sea.bin" }).waitFor();
    await inIt.getByRole("button", { name: /^notes.txt / }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    expect(await sidewaysPixels(page)).toBe(0);

    // What is found stands by itself, and a folder opens there as well, with all that can be done with it.
    await page.getByRole("searchbox").fill("trip");
    await page
      .locator(".finding-box")
      .getByText(/^1 match/)
      .waitFor();
    await inIt.waitFor();
    await page.getByRole("button", { name: "More for trip" }).click();
    await page.getByRole("menuitem", { name: "Delete folder and files" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("searchbox").fill("");
    await inIt.waitFor();
    await row.press("Space");
    await inIt.waitFor({ state: "detached" });
    expect(await isFocused(row)).toBe(true);

    await page.getByRole("button", { name: "More for trip" }).click();
    const [saved] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("menuitem", { name: "Save all as a ZIP" }).click(),
    ]);
    expect(saved.suggestedFilename()).toBe("trip.zip");
    const unpacked = unzipSync(new Uint8Array(await readFile(await saved.path())));
    expect(new TextDecoder().decode(unpacked["notes.txt"])).toBe("notes");
  });

  test("of another person shows what is in it, and comes whole by one button", async () => {
    const page = await session.open(
      await theirs("Holiday", ["day 1/fjord.bin", "map 10.bin", "map 9.bin"]),
      PHONE,
    );
    await page.getByRole("heading", { name: "Holiday", exact: true }).waitFor();
    await page.getByRole("button", { name: "See what is in it, Holiday" }).click();
    const dialog = page.getByRole("dialog", { name: "Holiday" });
    await dialog.getByText("150 kB to get.").waitFor();
    expect(
      await dialog.locator("li bdi").evaluateAll((all) => all.map((name) => name.getAttribute("title"))),
    ).toEqual(["day 1/fjord.bin", "map 9.bin", "map 10.bin"]);
    expect(await axeViolations(page)).toEqual([]);
    expect(await sidewaysPixels(page)).toBe(0);
    await dialog.getByRole("button", { name: "Get 3 files" }).click();
    // By which one is led to its row among the transfers.
    await page.getByRole("button", { name: "Holiday 3 files, 150 kB · Done" }).waitFor();
    await page.getByRole("button", { name: "Save as a ZIP, Holiday" }).waitFor();
    // Nor is whoever comes back by the link asked to get it once more.
    await page.goBack();
    await page.getByText("All of it is in this browser and checked.").waitFor();
    await page.getByRole("button", { name: "Save as a ZIP", exact: true }).waitFor();
    await page.goForward();
    const { client } = session.own;
    const { files } = await client.files();
    for (const { id, name } of files) if (/^(fjord|map) ?\d*\.bin$/.test(name)) await client.deleteFile(id);
    await page.getByRole("button", { name: "Holiday 3 files, 150 kB · Done · deleted since" }).waitFor();
  });

  test("that is asked for while the node starts opens once its list is here also where its screen was left and opened again", async () => {
    const page = await session.open(await theirs("Tide", ["ebb.bin"]));
    await page.evaluate(() => window.uiHost.setHosting({ state: "starting", step: "Opening the store" }));
    await page.getByRole("button", { name: "See what is in it, Tide" }).click();
    await page.getByText("It is asked for as soon as the node runs.").waitFor();
    await showAnew(page, await page.evaluate(() => location.hash));
    await page.evaluate(() => window.uiHost.setHosting({ state: "running", inThisTab: true }));
    await page.getByRole("dialog", { name: "Tide" }).getByText("50 kB to get.").waitFor();
  });

  test("is called by its own name, not by that of its list, to those who listen, too", async () => {
    const page = await session.open(await theirs("Harbour", ["pier.bin"]));
    await page.getByRole("main", { name: "Harbour", exact: true }).waitFor();
    await page.getByRole("button", { name: "See what is in it, Harbour" }).click();
    await page.getByRole("dialog", { name: "Harbour" }).getByText("50 kB to get.").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "QR code" }).click();
    await page.getByRole("img", { name: "QR code of the link to Harbour", exact: true }).waitFor();
    await page.keyboard.press("Escape");
    for (const { hash, shows } of [
      { hash: "#/transfers", shows: "Open Harbour" },
      { hash: "#/files", shows: "Copy link to Harbour" },
    ]) {
      await showAnew(page, hash);
      await page.getByRole("button", { name: shows, exact: true }).waitFor();
    }
  });

  test("that the network offers is one row, opens where it stands, and comes whole by one button", async () => {
    const { files } = await make(other, "Songs", ["disc 1/one.bin", "disc 2/two.bin", "three.bin"]);
    const page = await session.open("#/network");
    const row = page.getByRole("button", { name: /^Songs 3 files, 150 kB in all · 1 holder$/ });
    await row.waitFor();
    expect(await page.getByRole("button", { name: /^Get (one|two|three)\.bin$/ }).count()).toBe(0);
    // Lists are no files, and nothing was got to know what is in them.
    const offered = (await session.own.client.networkFiles()).files.filter(
      ({ name }) => !name.endsWith(".folder.json"),
    );
    await page.getByText(new RegExp(`^${offered.length} files, .* offered$`)).waitFor();
    await showAnew(page, "#/peers");
    const { node_id: otherId } = await other.client.nodeInfo();
    await page
      .getByRole("row", { name: otherId.slice(-6) })
      .getByText(`${offered.length} files`, { exact: true })
      .waitFor();
    await showAnew(page, "#/network");
    const isOfIt = ({ name }: { name: string }) => name === "Songs.folder.json";
    const { client } = session.own;
    expect((await client.files()).files.filter(isOfIt)).toEqual([]);
    expect((await client.transfers({ all: true })).transfers.filter(isOfIt)).toEqual([]);

    await row.press("Enter");
    const inIt = page.getByRole("list", { name: "Files of Songs" });
    await inIt.getByRole("button", { name: "Get disc 1/one.bin" }).press("Enter");
    await inIt.getByText("You have it").waitFor();
    expect(await faultsOf(page, "a folder of the network")).toEqual([]);

    // A folder that is found opens there as well, and a file of it stands by itself.
    const words = page.getByLabel("Search the network");
    await words.fill("songs");
    await inIt.waitFor();
    await words.fill("two");
    await page.getByRole("button", { name: "Get two.bin" }).waitFor();
    await words.fill("");

    await page.getByRole("button", { name: "Get 2 files of Songs" }).press("Enter");
    await page.locator(".toast").getByText("Songs is here: 3 files, all of them checked.").waitFor();
    expect(await page.getByText("Songs can be opened").count()).toBe(0);
    await expect
      .poll(async () => {
        const here = (await client.files()).files.filter(({ complete }) => complete);
        return files.every(({ file_id }) => here.some(({ id }) => id === file_id)) && here.some(isOfIt);
      })
      .toBe(true);
    await row.press("Enter");
    await page.locator(".network-list > li", { hasText: "Songs" }).getByText("You have it").waitFor();
    await page.goto(`${page.url().split("#")[0]}#/transfers`);
    await page.getByRole("button", { name: /^Songs 3 files, 150 kB · Done/ }).waitFor();
  });

  test("that is none says so", async () => {
    await session.own.client.upload(new TextEncoder().encode("no list"), { name: "Odd.folder.json" });
    const page = await session.open("#/files");
    await page.getByRole("button", { name: /^Odd .*Open$/ }).click();
    await page.getByRole("dialog", { name: "Odd" }).getByRole("alert").getByText("it is no folder").waitFor();

    await other.client.upload(new TextEncoder().encode("none either"), { name: "Strange.folder.json" });
    await page.goto(`${page.url().split("#")[0]}#/network`);
    await page.getByRole("link", { name: "Open Strange" }).waitFor();
  });

  test("is deleted with the files that are in no other, or by itself, and comes back by Undo", async () => {
    const { client } = session.own;
    const kept = await make(session.own, "Kept", ["both.bin"]);
    const gone = await make(session.own, "Gone", ["a/1.bin", "b/1.bin"], kept.files);
    const page = await session.open("#/files");
    const row = page.getByRole("button", { name: /^Gone / });
    const more = page.getByRole("button", { name: "More for Gone" });
    const hasFocus = () =>
      page.evaluate(() => document.activeElement?.closest(".files-screen-list > li") !== null);
    const remove = async (what: string) => {
      await more.press("Enter");
      await page.getByRole("menuitem", { name: what }).press("Enter");
      await row.waitFor({ state: "detached" });
    };
    await page.getByRole("button", { name: /^Gone 3 files, 150 kB/ }).click();
    await page.getByRole("list", { name: "Files of Gone" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    const total = await page.locator(".screen-head p").textContent();

    // Its files are files like others then, but for the one that stands in the other folder.
    await remove("Delete folder, keep files");
    await page.getByText("Deleting Gone. Its files stay.").waitFor();
    expect(await page.getByRole("button", { name: "Copy link to 1.bin" }).count()).toBe(2);
    expect(await page.getByRole("button", { name: "Copy link to both.bin" }).count()).toBe(0);
    expect(await page.locator(".screen-head p").textContent()).toBe(total);
    expect(await hasFocus()).toBe(true);
    await page.keyboard.press("Control+z");
    await more.waitFor();
    expect(await hasFocus()).toBe(true);

    await remove("Delete folder and files");
    expect(await hasFocus()).toBe(true);
    expect(await page.getByRole("button", { name: "Copy link to 1.bin" }).count()).toBe(0);
    expect(await page.locator(".toast").count()).toBe(1);
    await page.keyboard.press("Control+z");
    await row.waitFor();
    await remove("Delete folder and files");
    await page.getByText("Deleting Gone and 2 of its 3 files.").waitFor();
    const deleted = page.waitForResponse(
      (response) => response.request().method() === "DELETE" && response.url().endsWith(gone.id),
    );
    await page.getByRole("button", { name: "Dismiss" }).click();
    expect((await deleted).status()).toBe(200);
    const left = (await client.files()).files.map(({ id }) => id);
    expect(gone.files.filter(({ file_id }) => left.includes(file_id))).toEqual(kept.files);
    expect(left).toContain(kept.id);
    await page.getByRole("button", { name: /^Kept 1 file, 50 kB/ }).waitFor();
  });

  test("of which not all is here tells so, and is deleted with what still comes, which is cancelled", async () => {
    const { client } = session.own;
    const { id, lost } = await comePartly("Partly");
    const page = await session.open("#/files", PHONE);
    await page.getByRole("button", { name: /^Partly 1 of 3 files here · 150 kB in all$/ }).press("Enter");
    const inIt = page.getByRole("list", { name: "Files of Partly" });
    await inIt.getByText("2 files are not here").waitFor();
    expect(await axeViolations(page)).toEqual([]);
    expect(await sidewaysPixels(page)).toBe(0);
    await inIt.getByRole("button", { name: "See what is in it, Partly" }).click();
    const dialog = page.getByRole("dialog", { name: "Partly" });
    await dialog.getByRole("button", { name: "Get 2 files" }).waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();

    await page.evaluate((folder) => {
      location.hash = `#/get/${folder}`;
    }, id);
    await page.getByText("1 of 3 files here, 1 asked for. Open it to get the others.").waitFor();
    await page.getByRole("link", { name: "See transfers" }).waitFor();
    expect(await sidewaysPixels(page)).toBe(0);
    await page.goBack();

    await page.getByRole("button", { name: "More for Partly" }).click();
    const deleteAll = page.getByRole("menuitem", { name: "Delete folder and files" });
    const one = page.getByRole("menuitem", { name: "More like this" });
    expect((await deleteAll.boundingBox())?.height).toBe((await one.boundingBox())?.height);
    await deleteAll.click();
    await page.getByText("Deleting Partly and its 1 file, cancelling 1 transfer.").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await inIt.waitFor();
    const statusOf = async (fileId: string) =>
      (await client.transfers({ all: true })).transfers.find(({ file_id }) => file_id === fileId)?.status;
    expect(await statusOf(lost)).toBe("interrupted");
    await page.getByRole("button", { name: "More for Partly" }).click();
    await deleteAll.click();
    const deleted = page.waitForResponse(
      (response) => response.request().method() === "DELETE" && response.url().endsWith(id),
    );
    await page.getByRole("button", { name: "Dismiss" }).click();
    expect((await deleted).status()).toBe(200);
    expect(await statusOf(lost)).toBe("cancelled");
    expect(await page.locator(".toast").count()).toBe(0);
  });

  test("tells on its link's screen what of it failed, and where why is told", async () => {
    const { id, lost } = await comePartly("Wreck");
    const page = await session.open("#/nothing-here");
    await page.route(/\/api\/v1\/transfers(\?|$)/, async (route) => {
      const response = await route.fetch();
      const { transfers, ...rest } = (await response.json()) as { transfers: Transfer[] };
      const told = transfers.map((one) =>
        one.file_id === lost ? { ...one, status: "failed" as const, error: "nobody offers it" } : one,
      );
      await route.fulfill({ response, json: { transfers: told, ...rest } });
    });
    await page.reload();
    await showAnew(page, `#/get/${id}?name=Wreck.folder.json`);
    const stands = page.locator(".get-screen-done");
    await stands.getByText("1 of 3 files here, 1 failed. Open it to get the others.").waitFor();
    await stands.getByRole("link", { name: "See transfers" }).click();
    await page.getByText("Nobody offers it.").waitFor();
    const { client } = session.own;
    const { transfers } = await client.transfers();
    for (const { id: transferId, file_id } of transfers)
      if (file_id === lost) await client.cancel(transferId);
  });

  test("is one row of the transfers, by which all of them are paused, cancelled and asked for again", async () => {
    const { id } = await comePartly("Fleet");
    const page = await session.open("#/transfers");
    const button = (name: string) => page.getByRole("button", { name, exact: true });
    const row = page.getByRole("button", { name: /^Fleet / });
    const told = async (words: string) => await row.getByText(words, { exact: true }).waitFor();
    await told("Paused · 1 of 2 files here");
    expect(await page.locator(".transfers-cards li").count()).toBe(1);
    expect(
      await page.getByRole("progressbar", { name: "Progress of Fleet" }).getAttribute("aria-valuenow"),
    ).toBe("50");
    await row.press("Enter");
    const inIt = page.getByRole("list", { name: "Transfers of Fleet" });
    await inIt.getByText("Paused at 0 %").waitFor();
    await inIt.getByRole("button", { name: "Save come.bin to disk" }).waitFor();
    expect(await faultsOf(page, "transfers of a folder")).toEqual([]);

    await button("Resume Fleet").press("Enter");
    await told("Looking for peers who have it · 1 of 2 files here");
    await expect.poll(() => isFocused(button("Pause Fleet"))).toBe(true);
    await page.keyboard.press("Enter");
    await told("Paused · 1 of 2 files here");
    await page.getByText("Fleet is paused.").waitFor({ state: "attached" });
    await button("Cancel Fleet").press("Enter");
    // Among those that are over it is open as it was, and takes the keyboard along.
    await told("1 of 2 files here, 1 cancelled");
    await page.locator(".transfers-ended").getByRole("list", { name: "Transfers of Fleet" }).waitFor();
    await expect.poll(() => isFocused(row)).toBe(true);
    await button("Try again Fleet").press("Enter");
    await told("Looking for peers who have it · 1 of 2 files here");

    // What one file is asked is asked of it alone, and the folder stays when it is no longer among the files.
    await inIt.getByRole("button", { name: "Cancel lost.bin" }).press("Enter");
    await inIt.getByRole("button", { name: "Try again lost.bin" }).waitFor();
    expect(await isFocused(inIt.getByRole("button", { name: "Try again lost.bin" }))).toBe(true);
    await session.own.client.deleteFile(id);
    await button("Try again Fleet").waitFor();
    await expect
      .poll(async () => (await session.own.client.files()).files.some((file) => file.id === id))
      .toBe(false);
    await told("1 of 2 files here, 1 cancelled");
  });

  test("tells no speed of transfers that have just begun before it was looked at for a while", async () => {
    const { id, files } = await make(session.own, "Regatta", ["start.bin", "finish.bin"]);
    const transfers = files.map(({ file_id, path, size }) => ({
      ...{ id: `t-${file_id}`, file_id, name: path, size, progress: 0.5, speed: 10, peers: 1 },
      ...{ status: "in_progress", started_at: new Date().toISOString(), ended_at: null },
      ...{ estimated_completion: null, output_path: null, error: null },
      ...{ paused: false, repair: false, waiting: false, storage_full: false },
    }));
    const page = await session.open("#/files");
    await page.route(/\/api\/v1\/transfers\?all/, (route) =>
      route.fulfill({ json: { transfers, total: transfers.length } }),
    );
    await page.reload();
    await showAnew(page, "#/transfers");
    const told = await page.locator(`[data-thing="${id}"] .figures`).first().textContent();
    expect(told).toBe("0 of 2 files here");
  });

  test("is drawn at once with its files in it, of which more than a page are shown in turn", async () => {
    const created_at = new Date().toISOString();
    const file = (name: string) => ({ id: name, name, size: 1, chunks: 1, complete: true, created_at });
    const names = Array.from({ length: ROWS_A_PAGE + 2 }, (_, at) => `sea ${at + 1}.bin`);
    const files = [...names.map(file), { ...file("Album.folder.json"), size: 100_000 }];
    const page = await session.open("#/files");
    const listed = page.waitForResponse(/\/api\/v1\/files$/);
    await page.route(/\/api\/v1\/files$/, (route) => route.fulfill({ json: { files, total: files.length } }));
    await page.route(/\/api\/v1\/folders\//, async (route) => {
      await listed;
      const inIt = names.map((path) => ({ path, file_id: path, size: 1 }));
      await route.fulfill({ json: { name: "Album", size: names.length, files: inIt } });
    });
    // Rows of the list itself that are seen at any time.
    await page.evaluate(() => {
      const seen = new Set<string>();
      new MutationObserver(() => {
        for (const row of document.querySelectorAll(".files-screen-list > .file-row .file-name"))
          seen.add(row.textContent);
      }).observe(document.body, { childList: true, subtree: true });
      Object.assign(window, { seen });
    });
    await session.own.client.upload(new TextEncoder().encode("news"), { name: "news.txt" });
    await page.getByRole("button", { name: /^Album 102 files, 102 bytes/ }).press("Enter");
    const seen = await page.evaluate(() => [...(window as unknown as { seen: Set<string> }).seen]);
    expect(seen.filter((name) => name.startsWith("sea"))).toEqual([]);
    expect(await page.locator(".files-screen-list > li").count()).toBe(1);
    await page.getByText("102 files, 102 bytes", { exact: true }).waitFor();
    const more = page.getByRole("button", { name: "Show 2 more of Album" });
    await more.press("Enter");
    await more.waitFor({ state: "detached" });
    expect(await isFocused(page.locator(".file-line-open", { hasText: "sea 101.bin" }))).toBe(true);
  });

  test("that is long has the keys at its end again for who goes back there", async () => {
    const page = await openAlbum();
    await page.getByRole("button", { name: /^Album / }).press("Enter");
    const more = page.getByRole("button", { name: "Show 100 more of Album" });
    await more.press("Enter");
    const last = page.locator(".file-line-open", { hasText: "sea 200.bin" });
    await last.press("ArrowLeft");
    await more.press("ArrowLeft");
    await page.evaluate(() => {
      location.hash = "#/nothing-here";
    });
    await page.getByRole("heading", { level: 1, name: "Nothing here" }).waitFor();
    await page.goBack();
    await last.waitFor();
    expect(await isFocused(more)).toBe(true);
  });

  test("that is long is drawn on below who scrolls down it, and not above who scrolls up past it", async () => {
    const page = await openAlbum(30);
    await page.getByRole("button", { name: /^Album / }).click();
    const rows = page.getByRole("list", { name: "Files of Album" }).getByRole("listitem");
    const more = page.getByRole("button", { name: "Show 100 more of Album" });
    await rows.first().waitFor();
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    const scrollTo100Below = (edge: "top" | "bottom") =>
      more.evaluate((button, edge) => {
        const { top } = button.getBoundingClientRect();
        scrollBy(0, edge === "top" ? top - 100 : top - innerHeight + 100);
      }, edge);
    await scrollTo100Below("top");
    await untilTold(page);
    expect(await rows.count()).toBe(ROWS_A_PAGE);
    await scrollTo100Below("bottom");
    await expect.poll(() => rows.count()).toBe(2 * ROWS_A_PAGE);
    await scrollTo100Below("bottom");
    await expect.poll(() => rows.count()).toBe(3 * ROWS_A_PAGE);

    // Who goes back finds of it what they saw at once, and what is above it by and by.
    const row = rows.filter({ hasText: "sea 290.bin" });
    await row.scrollIntoViewIfNeeded();
    const top = () => row.evaluate((element) => Math.round(element.getBoundingClientRect().top));
    const left = await top();
    await page.evaluate(() => {
      location.hash = "#/nothing-here";
    });
    await page.getByRole("heading", { level: 1, name: "Nothing here" }).waitFor();
    const firstDrawn = drawnAtFirst(page, ".rows-beneath [data-thing]");
    await page.goBack();
    expect(await firstDrawn).toBeLessThan(3 * ROWS_A_PAGE);
    expect(await top()).toBe(left);
    await rows.filter({ hasText: "sea 1.bin" }).waitFor({ state: "attached" });
    expect(await rows.count()).toBe(3 * ROWS_A_PAGE);
    expect(await top()).toBe(left);
  });
});

/** The screen of files, with a long folder and so many files beneath it. */
async function openAlbum(belowCount = 0): Promise<Page> {
  const created_at = new Date().toISOString();
  const file = (name: string) => ({ id: name, name, size: 1, chunks: 1, complete: true, created_at });
  const inIt = Array.from({ length: 3 * ROWS_A_PAGE }, (_, at) => `sea ${at + 1}.bin`);
  const below = Array.from({ length: belowCount }, (_, at) => file(`below ${at}.bin`));
  const files = [...below, ...inIt.map(file), { ...file("Album.folder.json"), size: 100_000 }];
  const page = await session.open("#/peers");
  await page.route(/\/api\/v1\/files$/, (route) => route.fulfill({ json: { files, total: files.length } }));
  await page.route(/\/api\/v1\/folders\//, (route) => {
    const listed = inIt.map((path) => ({ path, file_id: path, size: 1 }));
    return route.fulfill({ json: { name: "Album", size: listed.length, files: listed } });
  });
  await page.reload();
  await showAnew(page, "#/files");
  return page;
}
