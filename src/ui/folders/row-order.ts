/** The orders that a person may have rows in, folders among files. Called by the screens of files and of the network. */
import { shownName } from "../../spelling/folder-name.ts";
import { byNameAndId } from "../elements/by-name.ts";
import { ROWS_WORTH_AN_ORDER } from "../limits.ts";
import type { Grouped } from "./grouped.ts";

/** `usual`: the screen's own. */
export type RowOrder = "usual" | "name" | "size";

/** What a row is sorted by: of a folder its own name, and the bytes of all that it holds. */
interface Told {
  id: string;
  name: string;
  size: number;
}

/** Few rows, beside which no order is to be chosen, stand in the usual one. */
export function inOrder<F extends Told>(rows: Grouped<F>["rows"], order: RowOrder): Grouped<F>["rows"] {
  if (order === "usual" || rows.length < ROWS_WORTH_AN_ORDER) return rows;
  const compare = order === "name" ? byNameAndId : largestFirst;
  return rows
    .map((row) => ({ row, ...toldOf<F>(row) }))
    .sort(compare)
    .map(({ row }) => row);
}

function toldOf<F extends Told>(row: Grouped<F>["rows"][number]): Told {
  const isFolder = "list" in row;
  const { id, name } = isFolder ? row.list : row;
  return { id, name: shownName(name), size: (isFolder ? row.folder : row).size };
}

function largestFirst(a: Told, b: Told): number {
  return b.size - a.size || byNameAndId(a, b);
}
