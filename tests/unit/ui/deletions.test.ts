/** Deleting with a way back: src/ui/state/deletions. */
import { describe, expect, test, vi } from "vitest";
import { ShoalError } from "../../../src/client/shoal-error.ts";
import { createDeletions } from "../../../src/ui/state/deletions.ts";
import type { Transfer } from "../../../src/ui/state/entries.ts";
import { createToasts } from "../../../src/ui/state/toasts.ts";
import { eventually } from "../../eventually.ts";

describe("deleting", () => {
  function open() {
    const deleteFile = vi.fn(async (_id: string) => ({ success: true, message: "" }) as const);
    const onDeleted = vi.fn(async (_ids: readonly string[]) => {});
    const cancel = vi.fn(async (_id: string) => ({ success: true, message: "" }) as const);
    const active: Transfer[] = [];
    const transfers = async () => ({ transfers: active, total: active.length });
    const toasts = createToasts();
    const deletions = createDeletions({ deleteFile, cancel, transfers }, toasts, onDeleted);
    deletions.request({ id: "a", name: "a.txt" });
    const toastId = toasts.shown.value[0]?.id ?? -1;
    return { deleteFile, cancel, active, onDeleted, toasts, deletions, toastId };
  }

  test("undo brings the file back, and nothing was deleted", () => {
    const { deleteFile, toasts, deletions, toastId } = open();
    expect(deletions.hidden.value.has("a")).toBe(true);
    toasts.act(toastId);
    expect(deletions.hidden.value.has("a")).toBe(false);
    expect(toasts.said.value).toMatchObject({ text: "a.txt is kept." });
    expect(deleteFile).not.toHaveBeenCalled();
  });

  test("the file is deleted when its toast goes", async () => {
    const { deleteFile, toasts, deletions, toastId } = open();
    toasts.dismiss(toastId);
    await eventually(() => expect(deletions.hidden.value.has("a")).toBe(false));
    expect(deleteFile).toHaveBeenCalledExactlyOnceWith("a");
  });

  test("what is still on its way is cancelled first, and may be gone with that", async () => {
    const { deleteFile, cancel, active, toasts, deletions, onDeleted } = open();
    const transfer = (file_id: string, status = "in_progress") =>
      ({ id: `t-${file_id}`, file_id, status, waiting: false, repair: false }) as Transfer;
    // Others, and repairs, which end with their files, are let be.
    active.push({ ...transfer("c"), waiting: true }, transfer("b"), transfer("other"), transfer("d"));
    active.push({ ...transfer("list"), repair: true });
    cancel.mockRejectedValueOnce(new ShoalError("It has ended", 409, "409", undefined));
    deleteFile.mockRejectedValueOnce(new ShoalError("File not found", 404, "404", undefined));
    deletions.request({ id: "list", name: "trip.folder.json", files: ["b", "c", "d"] });
    toasts.dismiss(toasts.shown.value.at(-1)?.id ?? -1);
    await eventually(() => expect(deletions.hidden.value.has("list")).toBe(false));
    expect(cancel.mock.calls).toEqual([["t-c"], ["t-d"], ["t-b"]]);
    expect(deleteFile.mock.calls).toEqual([["b"], ["c"], ["d"], ["list"]]);
    expect(onDeleted).toHaveBeenCalledExactlyOnceWith(["b", "c", "d", "list"]);
    expect(toasts.shown.value.map(({ tone }) => tone)).toEqual(["plain"]);
  });

  test("a folder goes with its files by one toast, and is the last to go", async () => {
    const { deleteFile, toasts, deletions, onDeleted } = open();
    const request = () => {
      deletions.request({ id: "list", name: "trip.folder.json", files: ["b", "c"], after: " and 2 files." });
      return toasts.shown.value.at(-1)?.id ?? -1;
    };
    const first = request();
    expect([...deletions.hidden.value]).toEqual(["a", "b", "c", "list"]);
    expect(toasts.shown.value.length).toBe(2);
    toasts.act(first);
    expect([...deletions.hidden.value]).toEqual(["a"]);
    expect(toasts.said.value).toMatchObject({ text: "trip is kept." });
    toasts.dismiss(request());
    await eventually(() => expect(deletions.hidden.value.has("list")).toBe(false));
    expect(deleteFile.mock.calls).toEqual([["b"], ["c"], ["list"]]);
    expect(onDeleted).toHaveBeenCalledExactlyOnceWith(["b", "c", "list"]);
  });

  test("what is shared once more meanwhile stays, and of a folder the others go", async () => {
    const { deleteFile, toasts, deletions } = open();
    deletions.keep("a");
    expect(toasts.shown.value).toEqual([]);
    expect(deletions.hidden.value.size).toBe(0);
    deletions.request({ id: "list", name: "trip.folder.json", files: ["a", "b"] });
    deletions.keep("a");
    expect([...deletions.hidden.value]).toEqual(["b", "list"]);
    toasts.dismiss(toasts.shown.value[0]?.id ?? -1);
    await eventually(() => expect(deletions.hidden.value.has("list")).toBe(false));
    expect(deleteFile.mock.calls).toEqual([["b"], ["list"]]);
  });

  test("a folder of which a file can't be deleted stays, and says why", async () => {
    const { deleteFile, toasts, deletions, onDeleted } = open();
    deletions.request({ id: "list", name: "trip.folder.json", files: ["b", "c", "d"] });
    deleteFile.mockImplementation(async (id) => {
      if (id === "c") throw new Error("it is downloaded");
      return { success: true, message: "" } as const;
    });
    toasts.dismiss(toasts.shown.value.at(-1)?.id ?? -1);
    await eventually(() => expect(deletions.hidden.value.has("list")).toBe(false));
    expect(deleteFile.mock.calls).toEqual([["b"], ["c"], ["d"]]);
    expect(onDeleted).toHaveBeenCalledExactlyOnceWith(["b", "d"]);
    expect(toasts.shown.value.at(-1)).toMatchObject({ text: "It is downloaded.", tone: "bad" });
    for (const { id } of toasts.shown.value) toasts.dismiss(id);
  });
});
