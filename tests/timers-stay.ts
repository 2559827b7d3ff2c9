/** Runs with every file of a suite whose files share a process: one that leaves faked timers behind stops those after it. */
import { afterAll, expect, vi } from "vitest";

const real = { setTimeout, clearTimeout, setInterval, Date };

afterAll(() => {
  vi.restoreAllMocks();
  for (const name of Object.keys(real) as (keyof typeof real)[]) {
    expect(globalThis[name], `this file leaves ${name} faked`).toBe(real[name]);
  }
});
