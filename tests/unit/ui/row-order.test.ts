/** The order of rows that a person chooses, of files and folders. */
import { expect, test } from "vitest";
import { grouped } from "../../../src/ui/folders/grouped.ts";
import { inOrder, type RowOrder } from "../../../src/ui/folders/row-order.ts";

const file = (name: string, size: number) => ({ id: name, name, size });

/** Newest first. The list of the folder is small, and by its name it would stand behind a file. */
const files = [
  file("Part 10", 500),
  file("part 9", 70),
  file("Otter.folder.json", 1),
  file("in it", 300),
  file("also", 300),
  file("Otter 2", 500),
];
const held = ["in it", "also"].map((path) => ({ path, file_id: path, size: 300 }));
const { rows } = grouped(files, new Map([["Otter.folder.json", { name: "Otter", size: 600, files: held }]]));

const namesIn = (order: RowOrder) =>
  inOrder(rows, order).map((row) => ("list" in row ? row.folder.name : row.name));

test("rows stand as they come until an order is chosen", () => {
  expect(namesIn("usual")).toEqual(["Part 10", "part 9", "Otter", "Otter 2"]);
});

test("rows are sorted by name as people count, a folder by its own", () => {
  expect(namesIn("name")).toEqual(["Otter", "Otter 2", "part 9", "Part 10"]);
});

test("rows are sorted by size, largest first, a folder by all that it holds, and those of one size by name", () => {
  expect(namesIn("size")).toEqual(["Otter", "Otter 2", "Part 10", "part 9"]);
});
