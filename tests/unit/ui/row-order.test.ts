/** The orders that a person may have rows in. */
import { expect, test } from "vitest";
import { inOrder } from "../../../src/ui/folders/row-order.ts";
import { ROWS_WORTH_AN_ORDER } from "../../../src/ui/limits.ts";

const file = (id: string, name: string, size: number) => ({ id, name, size });
const trip = {
  list: file("t", "photo 11.folder.json", 900),
  folder: { name: "photo 11", size: 40, files: [] },
  files: [],
  own: [],
};
const files = [
  file("d", "photo 2", 1),
  file("b", "photo 10", 7),
  file("c", "photo 10", 7),
  file("a", "zebra", 50),
  file("e", "Anchor", 7),
];
const idsOf = (rows: ReturnType<typeof inOrder<(typeof files)[number]>>) =>
  rows.map((row) => ("list" in row ? row.list.id : row.id)).join("");

test("a folder stands by its own name and all that it holds, and what is alike by its id", () => {
  for (const rows of [
    [...files, trip],
    [trip, ...files.toReversed()],
  ]) {
    expect(idsOf(inOrder(rows, "name"))).toBe("edbcta");
    expect(idsOf(inOrder(rows, "size"))).toBe("atebcd");
    expect(inOrder(rows, "usual")).toBe(rows);
  }
});

test("few rows, beside which there is no choice, stand as usual", () => {
  const rows = files.slice(0, ROWS_WORTH_AN_ORDER - 1);
  expect(inOrder(rows, "name")).toBe(rows);
});
