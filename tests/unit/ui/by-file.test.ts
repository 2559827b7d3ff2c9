/** What a row is told of its file. */
import { signal } from "@preact/signals";
import { expect, test } from "vitest";
import { folderShareOf } from "../../../src/ui/folders/folder-share.ts";
import { transfersByFile, wholeFiles } from "../../../src/ui/state/by-file.ts";
import type { LocalFile, Transfer } from "../../../src/ui/state/entries.ts";

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

test("of a folder as much is here as files that are whole, at each of their places, and what is asked for is on its way", () => {
  const file = (id: string, complete: boolean) => ({ id, complete }) as LocalFile;
  const transfer = (file_id: string, status: Transfer["status"]) => ({ file_id, status }) as Transfer;
  const app = {
    wholeFiles: wholeFiles(signal([file("sea", true), file("sand", false)])),
    transfersOf: transfersByFile(
      signal([transfer("sea", "completed"), transfer("sand", "in_progress"), transfer("salt", "failed")]),
    ),
  };
  const files = ["sea", "sand", "salt", "sea"].map((file_id, at) => ({ path: `${at}`, file_id, size: 1 }));
  expect(folderShareOf(app, { name: "beach", size: 4, files })).toEqual({ here: 2, coming: 1, of: 4 });
});
