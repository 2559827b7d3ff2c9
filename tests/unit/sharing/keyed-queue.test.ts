/** Tasks of one key never cross, and no more run at once than allowed. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { KeyedQueue } from "../../../src/sharing/keyed-queue.ts";

describe("the keyed queue", () => {
  it("runs a key's tasks in order and alone, never too many at once, failures or not", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fc.record({ key: fc.constantFrom("a", "b", "c"), fails: fc.boolean() }), {
          maxLength: 20,
        }),
        async (scheduler, tasks) => {
          const queue = new KeyedQueue(2);
          const order: Record<string, number[]> = {};
          const running = new Set<string>();
          const given = tasks.map(({ key, fails }, number) =>
            queue.run(key, async () => {
              expect(running.has(key)).toBe(false);
              running.add(key);
              expect(running.size).toBeLessThanOrEqual(2);
              await scheduler.schedule(Promise.resolve());
              running.delete(key);
              order[key] = [...(order[key] ?? []), number];
              if (fails) throw new Error("failed");
              return number;
            }),
          );
          const outcomes = await scheduler.waitFor(Promise.allSettled(given));
          expect(outcomes.map(({ status }) => status)).toEqual(
            tasks.map(({ fails }) => (fails ? "rejected" : "fulfilled")),
          );
          for (const numbers of Object.values(order))
            expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
          await queue.idle();
        },
      ),
      { numRuns: 50 },
    );
  });
});
