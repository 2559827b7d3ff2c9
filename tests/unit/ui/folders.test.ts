import { describe, expect, test } from "vitest";
import { folderFileName } from "../../../src/sharing/folder.ts";
import { folderNameOf } from "../../../src/ui/folders/folder-name.ts";
import { folderOf } from "../../../src/ui/folders/folder-of.ts";

const shared = (path: string, name = path.split("/").at(-1) ?? path) => ({
  fileId: `id of ${path}`,
  name,
  path,
  sizeBytes: 1,
});

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

  test("make a list with their number where they come from several places", () => {
    expect(folderOf([shared("a.txt"), shared("b.txt")])).toMatchObject({ name: "2 files" });
    const mixed = [shared("trip/a.txt"), shared("other/a.txt"), shared("a.txt")];
    expect(folderOf(mixed).name).toBe("3 files");
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

  test("are called as the node calls them", () => {
    expect(pathsOf(shared("day/a\u202e.txt", "a.txt"))).toEqual(["a.txt"]);
  });
});

test("the list of a folder's files has the folder's name", () => {
  // As the node calls it, of which the screens import nothing.
  expect(folderNameOf(folderFileName("trip"))).toBe("trip");
  expect(folderNameOf("trip.json")).toBeUndefined();
  expect(folderNameOf(".folder.json")).toBeUndefined();
});
