/** Names in archives, which Windows and macOS must be able to unpack. */
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { archivePaths } from "../../../src/api/archive-paths.ts";
import { checkFolder, safeFolderPath } from "../../../src/sharing/folders/folder.ts";

test("names that every system takes stay as they are", () => {
  const paths = ["day 1/sea.jpg", "notes é.txt", "console.log", "context/com10.txt", ".hidden"];
  expect(archivePaths(paths)).toEqual(paths);
});

test("what Windows refuses is written otherwise", () => {
  expect(archivePaths(["12:30.jpg", 'say "what?"/<a>|*.txt'])).toEqual([
    "12_30.jpg",
    "say _what__/_a___.txt",
  ]);
  expect(archivePaths(["CON", "aux.tar.gz", "nul .txt", "day/com¹.txt", "LPT1/a.txt"])).toEqual([
    "CON_",
    "aux_.tar.gz",
    "nul_ .txt",
    "day/com¹_.txt",
    "LPT1_/a.txt",
  ]);
});

test("a name that every system takes is no other file's, whichever comes first", () => {
  expect(archivePaths(["a:b.txt", "a_b.txt", "a?b.txt", "a_b (2).txt"])).toEqual([
    "a_b (3).txt",
    "a_b.txt",
    "a_b (4).txt",
    "a_b (2).txt",
  ]);
});

test("no two are one where the case of letters or how marks are written does not count", () => {
  expect(archivePaths(["sea.txt", "SEA.txt", "Sea.txt"])).toEqual(["sea.txt", "SEA (2).txt", "Sea (3).txt"]);
  expect(archivePaths(["é", "e\u0301"])).toEqual(["é", "e\u0301 (2)"]);
  // Whose lower case depends on where it stands in the word.
  expect(archivePaths(["ΟΔΟΣ.txt", "οδος.txt"])).toEqual(["ΟΔΟΣ.txt", "οδος (2).txt"]);
});

test("a file does not take the place of a folder", () => {
  expect(archivePaths(["sea", "Sea/a.txt", "sea/b.txt"])).toEqual(["sea (2)", "Sea/a.txt", "sea/b.txt"]);
});

const NAMES = [
  "sea",
  "Sea",
  "SEA (2)",
  "sea.txt",
  "a:b",
  "a?b",
  "a_b",
  "con",
  "é",
  "e\u0301",
  "ΟΔΟΣ.txt",
  "οδος.txt",
];
const anyPath = fc.array(fc.oneof(fc.constantFrom(...NAMES), fc.string({ unit: "binary", maxLength: 12 })), {
  minLength: 1,
  maxLength: 3,
});
const folder = fc
  .array(
    anyPath.map((parts) => safeFolderPath(parts.join("/"))),
    { minLength: 1, maxLength: 12 },
  )
  .filter(isFolder);

function isFolder(paths: string[]): boolean {
  try {
    checkFolder(paths);
    return true;
  } catch {
    return false;
  }
}

/** As systems compare names that compare them least exactly. */
function folded(path: string): string {
  return path.normalize().toLowerCase().toUpperCase();
}

test("whatever a folder holds, each file has a place of its own, beside its folders, and none has to move again", () => {
  fc.assert(
    fc.property(folder, (paths) => {
      const names = archivePaths(paths);
      const files = new Set(names.map(folded));
      expect(files.size).toBe(names.length);
      const folders = [...files].flatMap((path) =>
        [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index)),
      );
      expect(folders.filter((path) => files.has(path))).toEqual([]);
      expect(archivePaths(names)).toEqual(names);
    }),
  );
});

test("of a thousand files of one name none is compared with all others", () => {
  const letters = (at: number) => at.toString(2).padStart(10, "0").replaceAll("0", "a").replaceAll("1", "A");
  const paths = Array.from({ length: 1000 }, (_, at) => letters(at));
  const compared = vi.spyOn(String.prototype, "normalize");
  expect(archivePaths(paths).at(-1)).toBe("AAAAAaaAAA (1000)");
  expect(compared.mock.calls.length).toBeLessThan(10 * paths.length);
});
