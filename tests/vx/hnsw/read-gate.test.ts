/** The gate between a graph and its reader, with the graph's end in another thread. */
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { ReadGate } from "../../../src/vx/hnsw/read-gate.ts";

test("no change is seen in part, and neither end shuts the other out", async () => {
  const memory = new SharedArrayBuffer(1024);
  const gate = new ReadGate(memory, 0);
  /** Whether it is over, then what every change writes, word by word. */
  const [over, words] = [new Int32Array(memory, 8, 1), new Int32Array(memory, 64, 200)];
  const worker = new Worker(new URL("./gate-thread.source.mjs", import.meta.url), { workerData: memory });
  const ended = once(worker, "exit");
  const seen = new Set<number>();
  for (let refused = 0; seen.size < 50 || refused < 10; ) {
    if (!gate.tryEnter()) {
      refused++;
      continue;
    }
    const [change] = words as unknown as [number];
    const isWhole = words.every((word) => word === change);
    gate.leave();
    if (!isWhole) throw new Error(`Change ${change} was seen in part`);
    seen.add(change);
  }
  Atomics.store(over, 0, 1);
  await ended;
  expect(gate.version).toBe(words[0]);
});
