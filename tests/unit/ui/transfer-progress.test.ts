/** What events tell of transfers, in their list: src/ui/state/transfer-progress. */
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { LISTS_REST_MS } from "../../../src/ui/limits.ts";
import type { Transfer } from "../../../src/ui/state/entries.ts";
import {
  gatherProgress,
  isMoreKnown,
  type Progress,
  withProgress,
} from "../../../src/ui/state/transfer-progress.ts";
import { statusText } from "../../../src/ui/transfers/transfer-words.ts";

describe("progress of transfers", () => {
  const progressOf = (transferId: string, progress: number): Progress => ({
    ...{ transfer_id: transferId, file_id: "f", status: "in_progress", progress, speed: 2_000_000, peers: 1 },
    estimated_completion: new Date(9000).toISOString(),
  });

  const started: Transfer = {
    ...{
      id: "t",
      file_id: "f",
      name: "a.bin",
      output_path: null,
      size: 1000,
      repair: false,
      paused: false,
      waiting: false,
    },
    status: "started",
    ...{ progress: 0, speed: 0, peers: 0, error: null, storage_full: false },
    ...{ started_at: new Date(0).toISOString(), ended_at: null, estimated_completion: null },
  };

  test("comes into the list with its speed and the time left", () => {
    const other = { ...started, id: "u" };
    const list = withProgress([started, other], new Map([["t", progressOf("t", 0.5)]]));
    expect(list[0]).toMatchObject({ id: "t", status: "in_progress", progress: 0.5 });
    expect(statusText(list[0] ?? started, 1000)).toBe("2 MB/s from 1 peer · 8 s left");
    expect(list[1]).toBe(other);
  });

  test("of a transfer that does not run may be late: the node is asked whether it runs again", () => {
    const gathered = new Map([["t", progressOf("t", 0.5)]]);
    for (const status of ["interrupted", "completed", "cancelled", "failed"] as const) {
      const stopped = { ...started, status };
      expect(withProgress([stopped], gathered)).toEqual([stopped]);
      expect(isMoreKnown(stopped, gathered)).toBe(true);
    }
    expect(isMoreKnown(started, gathered)).toBe(false);
    expect(isMoreKnown({ ...started, size: null }, gathered)).toBe(true);
    expect(isMoreKnown({ ...started, id: "u", status: "failed" }, gathered)).toBe(false);
  });

  function gathering() {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const told: [string, number][][] = [];
    const progress = gatherProgress((gathered) =>
      told.push([...gathered].map(([id, { progress }]) => [id, progress])),
    );
    return { told, progress };
  }

  test("is told of at once, and what comes meanwhile a moment later, together, of each transfer the last", () => {
    const { told, progress } = gathering();
    progress.add(progressOf("t", 0.1));
    expect(told).toEqual([[["t", 0.1]]]);
    for (const [id, share] of [
      ["t", 0.2],
      ["u", 0.1],
      ["t", 0.3],
    ] as const)
      progress.add(progressOf(id, share));
    expect(told).toHaveLength(1);
    vi.advanceTimersByTime(LISTS_REST_MS);
    expect(told.slice(1)).toEqual([
      [
        ["t", 0.3],
        ["u", 0.1],
      ],
    ]);
    progress.add(progressOf("t", 0.4));
    expect(told).toHaveLength(2);
    vi.advanceTimersByTime(LISTS_REST_MS);
    expect(told.slice(2)).toEqual([[["t", 0.4]]]);
    vi.advanceTimersByTime(LISTS_REST_MS);
    progress.add(progressOf("t", 0.5));
    expect(told.slice(3)).toEqual([[["t", 0.5]]]);
  });

  test("that was not told of yet is not when an answer of the node has come meanwhile, which tells of later", () => {
    const { told, progress } = gathering();
    for (const share of [0.1, 0.2]) progress.add(progressOf("t", share));
    progress.forget();
    vi.advanceTimersByTime(LISTS_REST_MS);
    expect(told).toEqual([[["t", 0.1]]]);
  });
});
