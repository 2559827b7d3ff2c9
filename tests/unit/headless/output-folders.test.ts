/** Folders that were made for outputs, of which nothing came. */
import { mkdir, readdir, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { OutputFolders } from "../../../src/headless/files/output-folders.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { mount, rightAfter } from "./without-links.ts";

let root: string;
let album: string;
let folders: OutputFolders;
beforeEach(async () => {
  root = await temporaryFolder();
  album = join(root, "album");
  folders = new OutputFolders();
});

it("stay where somebody has put something into them", async () => {
  const onTheWay = await folders.make(join(album, "one"));
  await writeFile(join(album, "note"), "");
  await folders.giveBack(onTheWay);
  expect(await readdir(album)).toEqual(["note"]);
});

it("stay where they have had an output, though that was taken elsewhere", async () => {
  folders.keep(await folders.make(album));
  await folders.giveBack(await folders.make(join(album, "one")));
  expect(await readdir(root)).toEqual(["album"]);
});

it("stay where another output has just found them", async () => {
  const first = await folders.make(album);
  const [second] = await Promise.all([folders.make(album), folders.giveBack(first)]);
  expect(await readdir(root)).toEqual(["album"]);
  await folders.giveBack(second);
  expect(await readdir(root)).toEqual([]);
});

it("stay where others removed them, and they were made anew since", async () => {
  const first = await folders.make(album);
  await rm(album, { recursive: true });
  await folders.make(album);
  await folders.giveBack(first);
  expect(await readdir(root)).toEqual(["album"]);
});

it("are nobody's to remove once others have", async () => {
  const onTheWay = await folders.make(album);
  await rmdir(album);
  await folders.giveBack(onTheWay);
  await mkdir(album);
  await folders.giveBack(await folders.make(album));
  expect(await readdir(root)).toEqual(["album"]);
});

it("stay where somebody has put an empty folder in the place of the one that was made, and took that away", async () => {
  const onTheWay = await folders.make(album);
  await rename(album, join(root, "photos"));
  await mkdir(album);
  await folders.giveBack(onTheWay);
  expect((await readdir(root)).sort()).toEqual(["album", "photos"]);
});

it("are made on one disk while another hangs", async () => {
  const [disk, order] = [join(root, "disk"), [] as string[]];
  await mkdir(disk);
  mount(disk);
  let others: Promise<unknown> = Promise.resolve();
  rightAfter("mkdir", join(disk, "film"), async () => void (await others));
  const film = folders.make(join(disk, "film")).then(() => order.push("film"));
  others = folders.make(album).then(async (onTheWay) => {
    await folders.giveBack(onTheWay);
    order.push("album");
  });
  await Promise.all([film, others]);
  expect(order).toEqual(["album", "film"]);
});
