/** What a row is told of its file. */
import { signal } from "@preact/signals";
import { expect, test } from "vitest";
import { folderShareOf, folderText } from "../../../src/ui/folders/folder-share.ts";
import { awaitedFiles, transfersByFile, wholeFiles } from "../../../src/ui/state/by-file.ts";
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

const file = (id: string, complete: boolean) => ({ id, complete }) as LocalFile;
const transfer = (file_id: string, status: Transfer["status"], id = `of ${file_id}`) =>
  ({ id, file_id, status }) as Transfer;

test("of a folder as much is here as files that are whole, at each of their places, and what is asked for is on its way", () => {
  const known = signal([file("sea", true), file("sand", false)]);
  const transfers = signal([
    transfer("sea", "completed"),
    transfer("sand", "in_progress"),
    transfer("salt", "failed"),
  ]);
  const whole = wholeFiles(known);
  const app = {
    wholeFiles: whole,
    awaitedFiles: awaitedFiles(transfers, whole),
    transfersOf: transfersByFile(transfers),
  };
  const files = ["sea", "sand", "salt", "sea"].map((file_id, at) => ({ path: `${at}`, file_id, size: 1 }));
  expect(folderShareOf(app, { name: "beach", size: 4, files })).toEqual({
    here: 2,
    coming: 1,
    waiting: 0,
    failed: 1,
    of: 4,
  });
  transfers.value = [
    transfer("salt", "started"),
    transfer("salt", "failed"),
    transfer("sand", "interrupted"),
  ];
  expect(folderShareOf(app, { name: "beach", size: 4, files })).toEqual({
    here: 2,
    coming: 2,
    waiting: 1,
    failed: 0,
    of: 4,
  });
});

test("a file whose transfer is done is awaited until it is known to be whole", () => {
  const files = signal<LocalFile[]>([]);
  const transfers = signal([transfer("sea", "in_progress"), transfer("sand", "completed")]);
  const awaited = awaitedFiles(transfers, wholeFiles(files));
  expect([...awaited.value]).toEqual(["sea"]);
  transfers.value = [transfer("sea", "completed"), transfer("sand", "completed")];
  expect([...awaited.value]).toEqual(["sea"]);
  transfers.value = [...transfers.value, transfer("salt", "started")];
  expect([...awaited.value]).toEqual(["sea", "salt"]);
  files.value = [file("sea", true)];
  expect([...awaited.value]).toEqual(["salt"]);
  transfers.value = [transfer("sea", "completed"), transfer("salt", "cancelled")];
  expect([...awaited.value]).toEqual([]);
  // It was deleted.
  files.value = [];
  expect([...awaited.value]).toEqual([]);
});

test("a file whose transfer is done is awaited past an answer that was asked for before its end, and past no second one", () => {
  const files = signal<LocalFile[]>([]);
  const transfers = signal([transfer("sea", "in_progress")]);
  const awaited = awaitedFiles(transfers, wholeFiles(files));
  expect([...awaited.value]).toEqual(["sea"]);
  transfers.value = [transfer("sea", "completed")];
  files.value = [file("sand", true)];
  expect([...awaited.value]).toEqual(["sea"]);
  files.value = [file("sand", true), file("salt", true)];
  expect([...awaited.value]).toEqual([]);
});

test("a file is not awaited once its transfer is cancelled, though it had come before, and been deleted", () => {
  const former = transfer("sea", "completed", "former");
  const transfers = signal([transfer("sea", "started"), former]);
  const awaited = awaitedFiles(transfers, wholeFiles(signal([])));
  expect([...awaited.value]).toEqual(["sea"]);
  transfers.value = [transfer("sea", "cancelled"), former];
  expect([...awaited.value]).toEqual([]);
});

test("a folder of which all is being asked for sends nobody to ask for the rest", () => {
  const share = { here: 1, coming: 2, waiting: 0, failed: 0, of: 4 };
  expect(folderText(share, false)).toBe("1 of 4 files here, 2 asked for. Open it to get the others.");
  expect(folderText(share, true)).toBe("1 of 4 files here, the rest is being asked for.");
  const none = { here: 0, coming: 0, waiting: 0, failed: 0, of: 4 };
  expect(folderText(none, true)).toBe("0 of 4 files here, the rest is being asked for.");
  // Its list has just come.
  expect(folderText(undefined, true)).toBe("What is in it is being asked for.");
});

test("of a folder it is told what waits for a peer and what failed, which nobody is sent to ask for as if it were new", () => {
  const share = { here: 1, coming: 3, waiting: 2, failed: 1, of: 5 };
  expect(folderText(share, false)).toBe(
    "1 of 5 files here, 1 asked for, 2 waiting for a peer who has them, 1 failed.",
  );
  expect(folderText({ here: 0, coming: 1, waiting: 1, failed: 0, of: 1 }, false)).toBe(
    "0 of 1 file here, 1 waiting for a peer who has it.",
  );
});
