/** Which files were dropped, and from where: src/ui/files/dropped-files. */
import { describe, expect, test } from "vitest";
import { droppedFiles, givenFiles } from "../../../src/ui/files/dropped-files.ts";
import { MAX_FILES_A_DROP } from "../../../src/ui/limits.ts";

/** A file's name, or a folder's with what is in it; "locked" can't be read. */
type Tree = string | { name: string; inside: Tree[] };

const folder = (name: string, ...inside: Tree[]): Tree => ({ name, inside });

type Told = (error: DOMException) => void;
const refuse = (told: Told) => told(new DOMException("it is locked", "NotReadableError"));

/** As browsers give it. */
function entryOf(tree: Tree): object {
  if (typeof tree === "string") {
    const read = (done: (file: File) => void, fail: Told) =>
      tree === "locked" ? refuse(fail) : done(new File(["x"], tree));
    return { isFile: true, name: tree, file: read };
  }
  const { name, inside } = tree;
  // One at a time, and none when they are through.
  const left = inside.map(entryOf);
  return {
    isFile: false,
    name,
    createReader: () => ({
      readEntries: (done: (some: object[]) => void, fail: Told) =>
        name === "locked" ? refuse(fail) : done(left.splice(0, 1)),
    }),
  };
}

function dropped(...trees: Tree[]) {
  const items = trees.map((tree) => ({ kind: "file", webkitGetAsEntry: () => entryOf(tree) }));
  return droppedFiles({ items, files: [] } as unknown as Parameters<typeof droppedFiles>[0]);
}

async function pathsOf(...trees: Tree[]): Promise<string[]> {
  return (await dropped(...trees)).files.map(({ path }) => path);
}

describe("files that were dropped", () => {
  test("tell their way through the folders that were dropped with them", async () => {
    expect(await pathsOf("a.txt", folder("trip", "b.txt", folder("day 1", "c.txt")))).toEqual([
      "a.txt",
      "trip/b.txt",
      "trip/day 1/c.txt",
    ]);
  });

  test("come in the order in which a person counts, not in that of the disk", async () => {
    expect(await pathsOf(folder("trip", "sea 10.jpg", "sea 9.jpg", folder("a", "z.txt")), "b.txt")).toEqual([
      "b.txt",
      "trip/a/z.txt",
      "trip/sea 9.jpg",
      "trip/sea 10.jpg",
    ]);
  });

  test("are hidden ones where they were meant alone, not those of a folder", async () => {
    expect(
      await pathsOf(".env", folder("site", ".DS_Store", "index.html", folder(".git", "config"))),
    ).toEqual([".env", "site/index.html"]);
    expect(await pathsOf(folder(".config", "app.ini"))).toEqual([".config/app.ini"]);
  });

  test("are those that can be read; of the others it is told", async () => {
    const { files, unreadable } = await dropped(
      folder("trip", folder("locked", "a.txt"), "locked", folder("day 1", "b.txt")),
    );
    expect(files.map(({ path }) => path)).toEqual(["trip/day 1/b.txt"]);
    expect(unreadable).toEqual(["trip/locked", "trip/locked"]);
  });
});

test("files of a folder that was chosen tell their way, without hidden ones", () => {
  const chosen = (path: string) =>
    Object.defineProperty(new File(["x"], path.split("/").at(-1) ?? path), "webkitRelativePath", {
      value: path,
    });
  const picked = new File(["x"], "alone.txt");
  const { files } = givenFiles([chosen("trip/a.txt"), chosen("trip/.git/config"), picked]);
  expect(files.map(({ path }) => path)).toEqual(["alone.txt", "trip/a.txt"]);
});

test("more files are chosen than a page can list: the first are taken, and that there were more is told", async () => {
  const many = Array.from({ length: MAX_FILES_A_DROP + 1 }, () => new File(["x"], "a.txt"));
  const chosen = givenFiles(many);
  expect([chosen.files.length, chosen.isCut]).toEqual([MAX_FILES_A_DROP, true]);
  expect(givenFiles(many.slice(1)).isCut).toBe(false);
});
