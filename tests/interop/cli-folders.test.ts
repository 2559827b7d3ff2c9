/** A folder shared and downloaded by command, between two built nodes. */
import { mkdir, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { on } from "./shoal-command.ts";
import { type ShoalProcess, Shoals } from "./shoal-process.ts";

const FILES = { "notes.txt": 11, "day 1/sea.bin": 2_500_000, "day 1/deep/er/sand.bin": 70_000 };

const shoals = new Shoals();
let seeder: ShoalProcess;
beforeAll(async () => {
  seeder = await shoals.start();
});
afterAll(() => shoals[Symbol.asyncDispose]());

it("a folder comes whole, by one id, to a folder of its own", async () => {
  const trip = join(seeder.folder, "shared/trip");
  for (const [path, size] of Object.entries(FILES)) {
    await mkdir(join(trip, path, ".."), { recursive: true });
    await writeFile(join(trip, path), new Uint8Array(size).fill(size));
  }
  await writeFile(join(trip, ".hidden"), "hidden");
  await symlink("/etc/hostname", join(trip, "link"));
  const { stdout } = await on(seeder, "share", trip, "--json");
  const shared = JSON.parse(stdout);
  expect(shared).toMatchObject({ name: "trip.folder.json", chunks: 1 });
  // A path of the node's machine for those elsewhere.
  expect((await seeder.client.shareFolder("trip")).file_id).toBe(shared.file_id);
  const saved = await on(seeder, "save", shared.file_id, join(seeder.folder, "list.json"));
  expect(saved.stdout).toMatch(/list\.json .*\n.*: shoal download --folder brings its files\.\n$/);

  const leecher = await shoals.start({ bootstrap: [seeder] });
  const listAlone = await on(leecher, "download", shared.file_id);
  expect(listAlone.stdout).toContain("with --folder its files come");
  const got = await on(leecher, "download", shared.file_id, "Trip", "--folder");
  expect(got).toMatchObject({ code: 0, stdout: "3 files are here: Trip\n" });
  const place = join(await realpath(leecher.folder), "downloads/Trip");
  for (const path of Object.keys(FILES)) {
    const bytes = await readFile(join(place, path));
    expect(bytes.equals(await readFile(join(trip, path))), path).toBe(true);
  }

  // What it brought stays, and what is missing comes again; nothing else is replaced unasked.
  await rm(join(place, "notes.txt"));
  const again = await on(leecher, "download", shared.file_id, "Trip", "--folder");
  expect(again).toMatchObject({ code: 0, stdout: "3 files are here: Trip\n" });
  expect((await readFile(join(place, "notes.txt"))).length).toBe(11);
  await mkdir(join(leecher.folder, "downloads/Taken"));
  await writeFile(join(leecher.folder, "downloads/Taken/notes.txt"), "somebody's");
  const taken = await on(leecher, "download", shared.file_id, "Taken", "--folder");
  expect(taken).toMatchObject({ code: 1, stderr: expect.stringMatching(/^shoal: notes\.txt: .*\(409\)/) });
  await rm(join(place, "notes.txt"));
  const over = await on(leecher, "download", shared.file_id, "Trip", "--folder", "--overwrite", "--json");
  expect(JSON.parse(over.stdout).files).toHaveLength(3);
  expect((await readFile(join(place, "notes.txt"))).length).toBe(11);
});

it("takes a folder's list that was written by hand, and no other file for one", async () => {
  await writeFile(join(seeder.folder, "shared/here.txt"), "here");
  const { file_id } = await seeder.client.share("here.txt");
  const list = { type: "shoal-folder", version: 1, files: [{ path: "a/here.txt", id: file_id, size: 4 }] };
  await writeFile(join(seeder.folder, "shared/List.folder.json"), JSON.stringify(list));
  const { file_id: folder } = await seeder.client.share("List.folder.json");
  expect(await on(seeder, "download", folder, "--folder")).toMatchObject({
    code: 0,
    stdout: "1 file is here\n",
  });
  expect(await on(seeder, "download", file_id, "--folder")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("it is no folder (400)"),
  });
});
