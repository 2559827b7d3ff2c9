/** Folders on the page: shared under one link, opened by it, got by one button. */
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ShoalProcess } from "../interop/shoal-process.ts";
import { axeViolations, sidewaysPixels } from "./ui-checks.ts";
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

/** Put by another person, with the link to it. */
async function theirs(name: string, paths: string[]): Promise<string> {
  const files = await Promise.all(
    paths.map(async (path) => {
      const shared = await other.client.upload(randomBytes(50_000), { name: path.split("/").at(-1) ?? path });
      return { path, file_id: shared.file_id };
    }),
  );
  const { file_id: id, name: listName } = await other.client.makeFolder({ name, files });
  return `#/get/${id}?name=${encodeURIComponent(listName)}`;
}

describe("a folder", () => {
  test("that was chosen has one link, by which its files can be had at their places", async () => {
    const folder = join(disk, "trip");
    await mkdir(join(folder, "day 1"), { recursive: true });
    await writeFile(join(folder, "notes.txt"), "notes");
    await writeFile(join(folder, "day 1/sea.bin"), randomBytes(1000));
    await writeFile(join(folder, "day 1/.DS_Store"), "of a system");
    const page = await session.open("#/files", PHONE);
    await page.getByLabel("Folder to share").setInputFiles(folder);
    const card = page.getByRole("region", { name: "Just shared" });
    await card.getByText("2 files are shared").waitFor();
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
    expect(await axeViolations(page)).toEqual([]);
    await code.getByRole("button", { name: "Close" }).click();

    // In the list it is a folder, and opens as one.
    await page.getByRole("button", { name: /^trip .*Open$/ }).click();
    const opened = page.getByRole("dialog", { name: "trip" });
    await opened.getByText("All of them are here already.").waitFor();
    expect(await opened.getByRole("listitem").count()).toBe(2);
    const [saved] = await Promise.all([
      page.waitForEvent("download"),
      opened.getByRole("button", { name: "Save all as a ZIP" }).click(),
    ]);
    expect(saved.suggestedFilename()).toBe("trip.zip");
    const unpacked = unzipSync(new Uint8Array(await readFile(await saved.path())));
    expect(new TextDecoder().decode(unpacked["notes.txt"])).toBe("notes");
  });

  test("of another person shows what is in it, and comes whole by one button", async () => {
    const page = await session.open(await theirs("Holiday", ["day 1/fjord.bin", "map.bin"]), PHONE);
    await page.getByRole("heading", { name: "Holiday", exact: true }).waitFor();
    await page.getByRole("button", { name: "See what is in it, Holiday" }).click();
    const dialog = page.getByRole("dialog", { name: "Holiday" });
    await dialog.getByText("100 kB to get.").waitFor();
    await dialog.getByText("day 1/fjord.bin").waitFor();
    expect(await axeViolations(page)).toEqual([]);
    expect(await sidewaysPixels(page)).toBe(0);
    await dialog.getByRole("button", { name: "Get 2 files" }).click();
    for (const name of ["fjord.bin", "map.bin"])
      await page.getByRole("button", { name: `Save ${name} to disk` }).waitFor();
  });

  test("that the network offers is opened, not got as the list that it is", async () => {
    await theirs("Songs", ["one.bin", "two.bin"]);
    const page = await session.open("#/network");
    await page.getByRole("link", { name: "Open Songs" }).click();
    await page.getByRole("button", { name: "See what is in it, Songs" }).click();
    await page.getByRole("dialog", { name: "Songs" }).getByRole("button", { name: "Get 2 files" }).waitFor();
  });

  test("that is none says so", async () => {
    await session.own.client.upload(new TextEncoder().encode("no list"), { name: "Odd.folder.json" });
    const page = await session.open("#/files");
    await page.getByRole("button", { name: /^Odd .*Open$/ }).click();
    await page.getByRole("dialog", { name: "Odd" }).getByRole("alert").getByText("it is no folder").waitFor();
  });
});
