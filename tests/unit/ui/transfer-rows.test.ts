/** Transfers of one folder as one row. */
import { describe, expect, test } from "vitest";
import { holdersOf } from "../../../src/ui/folders/grouped.ts";
import type { Transfer } from "../../../src/ui/state/entries.ts";
import { jointTargets } from "../../../src/ui/transfers/joint-targets.ts";
import { groupEndText, jointAdvice, jointOf, jointText } from "../../../src/ui/transfers/joint-words.ts";
import {
  type TransferGroup,
  type TransferRow,
  transferRows,
} from "../../../src/ui/transfers/transfer-rows.ts";

const at = (second: number) => new Date(second * 1000).toISOString();

/** Called after its file. */
const transfer = (file_id: string, status: Transfer["status"], more: Partial<Transfer> = {}) =>
  ({
    ...{ id: `t-${file_id}`, file_id, name: file_id, status, size: 100, speed: 0, peers: 0, error: null },
    ...{ progress: status === "completed" ? 1 : 0, paused: false, repair: false, waiting: false },
    ...{ started_at: at(1), ended_at: at(2), estimated_completion: null, output_path: null },
    ...more,
  }) as Transfer;

const folder = (name: string, ...ids: string[]) => ({
  name,
  size: ids.length * 100,
  files: ids.map((id) => ({ path: `in/${id}`, file_id: id, size: 100 })),
});

function rowsOf(transfers: Transfer[], folders: Record<string, ReturnType<typeof folder>>) {
  const known = new Map(Object.entries(folders));
  const { unfinished, ended } = transferRows(transfers, known, holdersOf(known));
  const told = (row: TransferRow) =>
    "folder" in row ? [row.id, ...row.transfers.map(({ id }) => id)] : row.id;
  return { unfinished: unfinished.map(told), ended: ended.map(told) };
}

describe("the rows of transfers", () => {
  test("have those of a folder in one, which is unfinished while one of them is", () => {
    const folders = { list: folder("trip", "a", "b", "c", "d", "e") };
    const transfers = [
      transfer("alone", "in_progress"),
      transfer("d", "completed"),
      transfer("c", "failed", { ended_at: at(1) }),
      transfer("e", "in_progress"),
      transfer("b", "started", { waiting: true }),
      transfer("a", "in_progress"),
      transfer("list", "completed"),
      transfer("old", "completed"),
    ];
    expect(rowsOf(transfers, folders)).toEqual({
      unfinished: ["t-alone", ["list", "t-a", "t-e", "t-b", "t-c", "t-d"]],
      ended: ["t-old"],
    });
    const over = transfers.map((one) => ({ ...one, status: "completed" as const }));
    expect(rowsOf(over, folders)).toEqual({
      unfinished: [],
      ended: ["t-alone", ["list", "t-d", "t-e", "t-b", "t-a", "t-c"], "t-old"],
    });
  });

  test("have the only one of a folder, and the folder's list, by themselves", () => {
    const transfers = [
      transfer("b", "in_progress"),
      transfer("a", "completed"),
      transfer("list", "completed"),
    ];
    expect(rowsOf(transfers, { list: folder("trip", "a", "x") })).toEqual({
      unfinished: ["t-b"],
      ended: ["t-a", "t-list"],
    });
  });

  test("have of each file of a folder the newest, and older ones that are unfinished", () => {
    const transfers = [
      transfer("a", "completed", { id: "a3" }),
      transfer("a", "in_progress", { id: "a2" }),
      transfer("a", "cancelled", { id: "a1" }),
      transfer("b", "completed"),
    ];
    expect(rowsOf(transfers, { list: folder("trip", "a", "b") })).toEqual({
      unfinished: [["list", "a2", "a3", "t-b"]],
      ended: [],
    });
  });

  test("have a file of two folders in that of which more was asked for", () => {
    const transfers = ["a", "b", "c"].map((id) => transfer(id, "completed"));
    const folders = { few: folder("few", "a", "x"), many: folder("many", "a", "b", "c") };
    expect(rowsOf(transfers, folders).ended).toEqual([["many", "t-a", "t-b", "t-c"]]);
  });
});

describe("a folder's transfers together", () => {
  const group = (...transfers: Transfer[]): TransferGroup => ({
    id: "list",
    folder: folder("trip", "a", "b", "c", "d"),
    transfers,
  });
  const running = (id: string, more: Partial<Transfer>) => transfer(id, "in_progress", { peers: 1, ...more });

  test("have one speed, one time left, and one share of all that is wanted", () => {
    const all = group(
      running("a", { progress: 0.5 }),
      // Its size is known from the list alone.
      running("b", { size: null }),
      transfer("c", "completed"),
      transfer("d", "cancelled"),
    );
    expect(jointText(all, 15)).toBe("15 bytes/s · 10 s left · 1 of 4 files here, 1 cancelled");
    expect(jointOf(all)).toEqual({ sizeBytes: 300, progress: 0.5 });
  });

  test("have no time left before anything of them is here", () => {
    expect(jointText(group(running("a", {}), running("b", {})), 15)).toBe("15 bytes/s · 0 of 2 files here");
  });

  test("say nothing of a speed before it is known", () => {
    const begun = group(running("a", { speed: 10 }), transfer("b", "completed"));
    expect(jointText(begun, undefined)).toBe("1 of 2 files here");
  });

  test.each([
    [[running("a", {}), transfer("b", "completed")], "Asking peers · 1 of 2 files here"],
    [
      [running("a", { peers: 0 }), transfer("b", "failed")],
      "Looking for peers who have it · 0 of 2 files here, 1 failed",
    ],
    [
      [transfer("a", "started", { waiting: true }), transfer("b", "completed")],
      "Waiting for its turn: other files come first · 1 of 2 files here",
    ],
    [
      [transfer("a", "interrupted", { paused: true }), transfer("b", "completed")],
      "Paused · 1 of 2 files here",
    ],
    [
      [transfer("a", "interrupted", { paused: true }), transfer("b", "interrupted")],
      "Waiting for a peer who has the rest · 0 of 2 files here",
    ],
    [[transfer("a", "completed"), transfer("b", "failed")], "1 of 2 files here, 1 failed"],
    [[transfer("a", "completed"), transfer("b", "completed")], "2 files, 200 bytes · Done"],
  ])("say what they do %#", (transfers, text) => {
    expect(jointText(group(...transfers), 0)).toBe(text);
  });

  test("are all there only when they are, of nothing too, and of none that is wanted", () => {
    const empty = (status: Transfer["status"]) => transfer("e", status, { size: 0 });
    expect(jointOf(group(empty("completed"))).progress).toBe(1);
    expect(jointOf(group(empty("completed"), empty("started"))).progress).toBe(0);
    expect(jointOf(group(transfer("a", "cancelled", { progress: 0.5 })))).toEqual({
      sizeBytes: 100,
      progress: 0.5,
    });
  });

  test("have advice where none runs: what is waited for, else why the first failed", () => {
    const failed = transfer("b", "failed", { error: "The disk is full" });
    const waits = transfer("a", "interrupted");
    expect(jointAdvice(group(running("a", {}), failed))).toBeUndefined();
    expect(jointAdvice(group(waits, failed))).toMatch(/^Nobody who has it is here now/);
    expect(jointAdvice(group(failed, transfer("c", "completed")))).toMatch(/^The disk is full/);
    expect(jointAdvice(group(transfer("c", "completed")))).toBeUndefined();
  });

  test("that are over are told of in words that follow the folder's name", () => {
    const cancelled = transfer("c", "cancelled");
    const done = ["a", "b"].map((id) => transfer(id, "completed"));
    expect(groupEndText(group(...done, cancelled))).toEqual({
      after: " is here: 2 files, all of them checked.",
      isHere: true,
    });
    expect(groupEndText(group(...done, cancelled, transfer("d", "failed")))).toEqual({
      after: " did not come whole: 1 of 3 files failed.",
      isHere: false,
    });
  });

  test("are paused with those that wait for a peer, and what failed is asked for again meanwhile, what was cancelled afterwards", () => {
    const idsOf = (...transfers: Transfer[]) => {
      const { pause, resume, tryAgain, cancel } = jointTargets(transfers);
      return [pause, resume, tryAgain, cancel].map((all) => all.map(({ file_id }) => file_id).join(""));
    };
    const paused = transfer("p", "interrupted", { paused: true });
    const over = [transfer("d", "completed"), transfer("f", "failed"), transfer("c", "cancelled")];
    expect(idsOf(running("r", {}), transfer("i", "interrupted"), paused, ...over)).toEqual([
      "ri",
      "",
      "f",
      "rip",
    ]);
    expect(idsOf(transfer("i", "interrupted"), paused, ...over)).toEqual(["", "ip", "f", "ip"]);
    expect(idsOf(...over)).toEqual(["", "", "fc", ""]);
  });
});
