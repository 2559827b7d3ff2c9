/** Files in the origin private file system that are deleted while they are open; the browser's part is played here. */
import { expect, it } from "vitest";
import { SyncHandles } from "../../../src/browser/index/opfs-sync-handles.ts";

type File = Awaited<ReturnType<Parameters<SyncHandles["open"]>[1]>>;

/** Gives a file that opens as told. */
function fileThat(createSyncAccessHandle: () => Promise<{ close(): void }>) {
  return async () => ({ createSyncAccessHandle }) as File;
}

it("keeps the name of a deleted file until that is gone, or what is written under it would go too", async () => {
  const handles = new SyncHandles();
  const opened = await handles.open(
    "a",
    fileThat(async () => ({ close() {} })),
  );
  const whileItGoes: boolean[] = [];
  await handles.remove("a", async () => {
    whileItGoes.push(handles.isOpen("a"), handles.isRemoved("a"));
  });
  expect(whileItGoes).toEqual([]);
  await opened.close();
  expect(whileItGoes).toEqual([true, true]);
  expect(handles.isOpen("a")).toBe(false);
});

it("deletes a file that was asked to go while it was opened, which failed", async () => {
  const handles = new SyncHandles();
  const opening = handles.open(
    "a",
    fileThat(() => Promise.reject(new Error("not now"))),
  );
  let isGone = false;
  await handles.remove("a", async () => {
    isGone = true;
  });
  await expect(opening).rejects.toThrow("not now");
  expect(isGone).toBe(true);
  expect(handles.isOpen("a")).toBe(false);
});
