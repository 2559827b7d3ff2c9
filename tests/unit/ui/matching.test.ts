/** Which files of a list are found: src/ui/finding/matching. */
import { describe, expect, test } from "vitest";
import { type FindableFile, matching, withNamesakes } from "../../../src/ui/finding/matching.ts";

describe("search in the network", () => {
  const file = (name: string, holders: number) => ({
    id: name,
    name,
    size: 1,
    peers: Array<string>(holders).fill("p"),
  });
  const files = [file("Über das Meer.txt", 1), file("harbour at dawn.jpg", 3), file("dawn chorus.flac", 2)];

  test("each word must be in the name, whatever its case and accents", () => {
    expect(matching(files, "MEER uber").map(({ name }) => name)).toEqual(["Über das Meer.txt"]);
    expect(matching(files, "dawn x")).toEqual([]);
  });

  test("a hit is shown as its file is now, and not at all once that is gone", () => {
    const [first, second] = files.map((file, index) => ({ ...file, id: String(index) }));
    const hits = [second, first].flatMap((file) =>
      file === undefined ? [] : [{ ...file, excerpt: "of it" }],
    );
    const now = second === undefined ? [] : [{ ...second, name: "renamed" }];
    expect(withNamesakes(hits, now, "dawn")).toEqual([{ ...second, name: "renamed", excerpt: "of it" }]);
  });

  test("files whose names fit follow the hits, of which the node tells the first alone", () => {
    const [meer, , chorus] = files;
    const hits = [meer, chorus].flatMap((file) =>
      file === undefined ? [] : [{ ...file, why: ["content" as const] }],
    );
    const found = withNamesakes<FindableFile>(hits, files, "dawn").map(({ name }) => name);
    expect(found).toEqual(["Über das Meer.txt", "dawn chorus.flac", "harbour at dawn.jpg"]);
  });
});
