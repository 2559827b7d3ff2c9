/** Names in archives, which Windows and macOS must be able to unpack. */
import { expect, test } from "vitest";
import { archivePaths } from "../../../src/api/archive-paths.ts";

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

test("no two are one where the case of letters or how marks are written does not count", () => {
  expect(archivePaths(["a:b.txt", "a?b.txt", "A_B.txt", "a_b (2).txt"])).toEqual([
    "a_b.txt",
    "a_b (2).txt",
    "A_B (3).txt",
    "a_b (2) (2).txt",
  ]);
  expect(archivePaths(["é", "e\u0301"])).toEqual(["é", "e\u0301 (2)"]);
});

test("a file does not take the place of a folder", () => {
  expect(archivePaths(["sea", "Sea/a.txt", "sea/b.txt"])).toEqual(["sea (2)", "Sea/a.txt", "sea/b.txt"]);
});
