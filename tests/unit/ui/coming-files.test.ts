/** Which files on their way go with a folder that is deleted with its files. */
import { expect, test } from "vitest";
import { comingFiles } from "../../../src/ui/folders/coming-files.ts";
import type { Transfer } from "../../../src/ui/state/entries.ts";

const NONE = new Set<string>();

function transferOf(fileId: string, status: Transfer["status"] = "in_progress"): Transfer {
  return { file_id: fileId, status } as Transfer;
}

test("those that a transfer brings, and no other folder's", () => {
  const transfers = [transferOf("map"), transferOf("here", "completed"), transferOf("other")];
  expect(comingFiles(["map", "here", "photo"], transfers, NONE)).toEqual(["map"]);
});

test("not one whose own deletion can still be taken back", () => {
  const transfers = [transferOf("map"), transferOf("photo")];
  expect(comingFiles(["map", "photo"], transfers, new Set(["photo"]))).toEqual(["map"]);
});
