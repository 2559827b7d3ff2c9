/** What the log tells of work that an index failed to do by itself. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { readConfig } from "../../../src/vx/config.ts";
import type { Engine, Failure, Health } from "../../../src/vx/engine/engine.ts";
import { VxError } from "../../../src/vx/errors.ts";
import { telling } from "../../../src/vx/failure-log.ts";
import { FAILURE_LOOK_MS } from "../../../src/vx/limits.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

async function watched() {
  const lines: { level: string; [detail: string]: unknown }[] = [];
  const at = (level: string) => (_: string, details: object) => lines.push({ level, ...details });
  const engine = {
    failures: [] as Failure[],
    health: vi.fn(async () => ({ failures: engine.failures }) as Health),
  };
  const host = { startEngine: async () => engine as Partial<Engine> as Engine };
  const told = telling(host, { debug: at("debug"), info: at("info"), warn: at("warn") });
  expect(await told.startEngine(readConfig({}, true))).toBe(engine);
  return { engine, lines, look: () => vi.advanceTimersByTimeAsync(FAILURE_LOOK_MS) };
}

function failure(message: string): Failure {
  return { task: "backup", code: "storage_full", message, timestamp: new Date() };
}

it("is told once a failure, and once when it has passed", async () => {
  const { engine, lines, look } = await watched();
  await look();
  expect(lines).toEqual([]);
  for (const reason of ["The disk is full", "The disk is full", "no such folder"]) {
    engine.failures = [failure(reason)];
    await look();
  }
  expect(lines).toMatchObject([
    { level: "warn", task: "backup", code: "storage_full", reason: "The disk is full" },
    { level: "warn", task: "backup", reason: "no such folder" },
  ]);
  engine.failures = [];
  await look();
  await look();
  expect(lines.slice(2)).toMatchObject([{ level: "info", task: "backup" }]);
});

it("is looked for no more once the index has ended", async () => {
  const { engine, lines, look } = await watched();
  engine.health.mockRejectedValue(new VxError("unavailable", "The index's thread has ended"));
  await look();
  await look();
  expect(engine.health).toHaveBeenCalledOnce();
  expect(lines).toMatchObject([{ level: "debug" }]);
});
