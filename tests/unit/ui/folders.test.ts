/** Which folders files that were shared together make: src/ui/folders. */
import { describe, expect, test } from "vitest";
import { folderFileName } from "../../../src/sharing/folders/folder.ts";
import { folderNameOf } from "../../../src/spelling/folder-name.ts";
import { foldersOf } from "../../../src/ui/folders/folder-of.ts";
import { grouped, withFolders } from "../../../src/ui/folders/grouped.ts";
import { MAX_FILES_TOGETHER } from "../../../src/ui/limits.ts";
import type { LocalFile } from "../../../src/ui/state/entries.ts";

const shared = (path: string, name = path.split("/").at(-1) ?? path) => ({
  fileId: `id of ${path}`,
  name,
  path,
  sizeBytes: 1,
  unlisted: false,
});

/** Of few files. */
const folderOf = (files: ReturnType<typeof shared>[]) => foldersOf(files)[0] ?? { name: "", files: [] };

const pathsOf = (...files: ReturnType<typeof shared>[]) => folderOf(files).files.map(({ path }) => path);

describe("files that were shared together", () => {
  test("make the folder that all of them come from, with the folders in it", () => {
    expect(folderOf([shared("trip/a.txt"), shared("trip/day 1/b.txt")])).toEqual({
      name: "trip",
      files: [
        { file_id: "id of trip/a.txt", path: "a.txt" },
        { file_id: "id of trip/day 1/b.txt", path: "day 1/b.txt" },
      ],
    });
  });

  test("make a list that is called after the first of them where they come from several places", () => {
    expect(folderOf([shared("sea.2.txt"), shared("b.txt")])).toMatchObject({ name: "sea.2 and 1 more" });
    expect(folderOf([shared(".sea"), shared("b.txt")])).toMatchObject({ name: ".sea and 1 more" });
    expect(folderOf([shared(`${"🌊".repeat(50)}.txt`), shared("b.txt")]).name).toBe(
      `${"🌊".repeat(40)} and 1 more`,
    );
    const mixed = [shared("trip/a.txt"), shared("other/a.txt"), shared("a.txt")];
    expect(folderOf(mixed).name).toBe("a and 2 more");
    expect(pathsOf(...mixed)).toEqual(["trip/a.txt", "other/a.txt", "a.txt"]);
  });

  test("have a place each, though they have the same name", () => {
    expect(pathsOf(shared("a.txt"), shared("a.txt"), shared("a (2).txt"), shared("a.txt"))).toEqual([
      "a.txt",
      "a (2).txt",
      "a (2) (2).txt",
      "a (3).txt",
    ]);
    expect(pathsOf(shared("x/.env"), shared("x/.env"))).toEqual([".env", ".env (2)"]);
    expect(pathsOf(shared("note"), shared("note"))).toEqual(["note", "note (2)"]);
  });

  test("make several folders where one has no room for them, in the order of their paths", () => {
    const files = Array.from({ length: MAX_FILES_TOGETHER }, (_, at) => shared(`trip/day 2/${at}.jpg`));
    const parts = foldersOf([shared("trip/day 10/a.jpg"), ...files.toReversed()]);
    expect(parts.map(({ name }) => name)).toEqual(["trip, part 1 of 2", "trip, part 2 of 2"]);
    expect(parts[0]?.files.map(({ path }) => path)).toEqual(files.map(({ path }) => path.slice(5)));
    expect(parts[1]?.files).toEqual([{ file_id: "id of trip/day 10/a.jpg", path: "day 10/a.jpg" }]);
  });

  test("are parts of which each is told apart, however long the folder's name is", () => {
    const files = Array.from({ length: MAX_FILES_TOGETHER + 1 }, (_, at) =>
      shared(`${"🌊".repeat(63)}/${at}`),
    );
    // As the node cuts them.
    const names = foldersOf(files).map(({ name }) => folderNameOf(folderFileName(name)));
    expect(names).toEqual([`${"🌊".repeat(50)}, part 1 of 2`, `${"🌊".repeat(50)}, part 2 of 2`]);
  });

  test("are called as the node calls them", () => {
    expect(pathsOf(shared("day/a\u202e.txt", "a.txt"))).toEqual(["a.txt"]);
  });
});

describe("the list of files", () => {
  const file = (id: string) => ({ id, name: id, size: 10, complete: true }) as LocalFile;
  const folder = (...files: string[]) => ({
    name: "trip",
    size: files.length * 10,
    files: files.map((path) => ({ path, file_id: path.split("/").at(-1) ?? path, size: 10 })),
  });
  const rowsOf = (ids: string[], folders: Record<string, ReturnType<typeof folder>>) => {
    const { rows, files } = grouped(ids.map(file), new Map(Object.entries(folders)));
    const told = rows.map((row) =>
      "list" in row
        ? { id: row.list.id, files: row.files.map(({ path }) => path), own: [...row.own] }
        : row.id,
    );
    return { rows: told, files: files.map(({ id }) => id) };
  };

  test("has those of a folder in it, where its list stands, and counts no list", () => {
    expect(rowsOf(["new", "list", "one", "two", "old"], { list: folder("a/one", "b/two", "gone") })).toEqual({
      rows: ["new", { id: "list", files: ["a/one", "b/two"], own: ["one", "two", "gone"] }, "old"],
      files: ["new", "one", "two", "old"],
    });
  });

  test("has one that stands in two folders in both, and it goes with neither", () => {
    const folders = { first: folder("one", "both"), second: folder("both", "again/both") };
    expect(rowsOf(["first", "second", "one", "both"], folders).rows).toEqual([
      { id: "first", files: ["one", "both"], own: ["one"] },
      { id: "second", files: ["both", "again/both"], own: [] },
    ]);
    // The other may come back, whose deletion is told of just now.
    expect(rowsOf(["second", "one", "both"], folders).rows).toEqual([
      { id: "second", files: ["both", "again/both"], own: [] },
      "one",
    ]);
  });

  test("that a search found has folders for their lists, where these stand, with what was found in them", () => {
    const all = grouped(["list", "one", "two"].map(file), new Map([["list", folder("one")]]));
    const found = [file("one"), { ...file("list"), excerpt: "a trip" }, file("two")];
    const rows = withFolders(found, all);
    expect(rows.map((row) => ("list" in row ? row.list : row.id))).toEqual(["one", found[1], "two"]);
  });

  test("has a folder within another as a row of its own, which does not go with the other", () => {
    const folders = { outer: folder("inner", "one"), inner: folder("two") };
    expect(rowsOf(["outer", "inner", "one", "two"], folders)).toEqual({
      rows: [
        { id: "outer", files: ["inner", "one"], own: ["one"] },
        { id: "inner", files: ["two"], own: ["two"] },
      ],
      files: ["one", "two"],
    });
  });
});
