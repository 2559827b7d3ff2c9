/** What the log tells of work that an index failed to do by itself. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { logFailures } from "../../../src/headless/index-failures.ts";
import { INDEX_LOOK_MS } from "../../../src/headless/limits.ts";
import { createLog } from "../../../src/headless/log.ts";
import type { Failure, Health } from "../../../src/vx/engine/engine.ts";
import { VxError } from "../../../src/vx/errors.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function watched() {
  const lines: { task: string; level: number; reason?: string }[] = [];
  const engine = {
    failures: [] as Failure[],
    health: vi.fn(async () => ({ failures: engine.failures }) as Health),
  };
  const log = createLog("info", (line) => lines.push(JSON.parse(line)));
  const stop = logFailures(engine, log);
  return { engine, lines, stop, look: () => vi.advanceTimersByTimeAsync(INDEX_LOOK_MS) };
}

function failure(message: string): Failure {
  return { task: "backup", code: "storage_full", message, timestamp: new Date() };
}

it("is told once a failure, and once when it has passed", async () => {
  const { engine, lines, look } = watched();
  await look();
  expect(lines).toEqual([]);
  for (const reason of ["The disk is full", "The disk is full", "no such folder"]) {
    engine.failures = [failure(reason)];
    await look();
  }
  expect(lines).toMatchObject([
    { level: 40, task: "backup", code: "storage_full", reason: "The disk is full" },
    { level: 40, task: "backup", reason: "no such folder" },
  ]);
  engine.failures = [];
  await look();
  await look();
  expect(lines.slice(2)).toMatchObject([{ level: 30, task: "backup" }]);
});

it("is looked for no more once that is stopped, or the index has ended", async () => {
  const stopped = watched();
  stopped.stop();
  await stopped.look();
  expect(stopped.engine.health).not.toHaveBeenCalled();
  const ended = watched();
  ended.engine.health.mockRejectedValue(new VxError("unavailable", "The index's thread has ended"));
  await ended.look();
  await ended.look();
  expect(ended.engine.health).toHaveBeenCalledOnce();
  expect(ended.lines).toEqual([]);
});
