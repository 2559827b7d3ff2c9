/** What a row is told of its file. */
import { signal } from "@preact/signals";
import { expect, test } from "vitest";
import { transfersByFile } from "../../../src/ui/state/by-file.ts";

test("the transfers of a file are found by its id, as they stand in the list", () => {
  const transfer = (id: string, file_id: string) => ({ id, file_id });
  const transfers = signal<ReturnType<typeof transfer>[] | undefined>(undefined);
  const byFile = transfersByFile(transfers);
  const idsOf = (fileId: string) => byFile.value.get(fileId)?.map(({ id }) => id);
  expect(idsOf("sea")).toBeUndefined();
  transfers.value = [transfer("new", "sea"), transfer("other", "sand"), transfer("old", "sea")];
  expect(idsOf("sea")).toEqual(["new", "old"]);
  expect(idsOf("sand")).toEqual(["other"]);
});
