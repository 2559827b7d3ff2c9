/** How the storage worker gathers changes into transactions. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BlocksBatches } from "../../src/browser/blocks/blocks-batches.ts";
import type { BlockChange } from "../../src/browser/blocks/idb-blocks.ts";
import {
  BATCH_BYTES,
  BATCH_CHANGES,
  BATCHES_AT_ONCE,
  WORTHWHILE_BATCH_BYTES,
} from "../../src/browser/limits.ts";

it("makes every change once, in order, in transactions within their bounds, whichever of them fail", async () => {
  const change = fc.record({
    isPut: fc.boolean(),
    sizeBytes: fc.nat({ max: BATCH_BYTES / 4 }),
    moreToCome: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(change, { maxLength: 600, size: "max" }),
      fc.infiniteStream(fc.boolean()),
      async (scheduler, wanted, failures) => {
        const begun: string[] = [];
        const failed = new Set<string>();
        let running = 0;
        const batches = new BlocksBatches(async (changes) => {
          begun.push(...changes.map(({ key }) => key));
          running += 1;
          expect(running).toBeLessThanOrEqual(BATCHES_AT_ONCE);
          expect(changes.length).toBeLessThanOrEqual(BATCH_CHANGES);
          expect(bytesIn(changes)).toBeLessThanOrEqual(BATCH_BYTES);
          const fails = failures.next().value;
          await scheduler.schedule(Promise.resolve());
          running -= 1;
          if (!fails) return;
          for (const { key } of changes) failed.add(key);
          throw new Error("failed");
        });
        const added = wanted.map((one, i) => batches.add(changeOf(one, String(i)), one.moreToCome));
        const rest = batches.idle();
        const outcomes = await scheduler.waitFor(Promise.allSettled(added));
        expect(begun).toEqual(wanted.map((_, i) => String(i)));
        expect(outcomes.map(({ status }) => status)).toEqual(
          wanted.map((_, i) => (failed.has(String(i)) ? "rejected" : "fulfilled")),
        );
        await rest;
      },
    ),
    { numRuns: 30 },
  );
});

describe("changes after which more are to come", () => {
  const small = (key: string) => changeOf({ isPut: true, sizeBytes: 1 }, key);

  it("are made with the next one that has none behind it, in one transaction", async () => {
    const { batches, begun } = recorded();
    await Promise.all([
      batches.add(small("a"), true),
      batches.add(small("b"), true),
      batches.add(small("c")),
    ]);
    await batches.add(small("d"));
    expect(begun).toEqual([["a", "b", "c"], ["d"]]);
  });

  it("are made once they are enough for a transaction", async () => {
    const { batches, begun } = recorded();
    const half = { isPut: true, sizeBytes: WORTHWHILE_BATCH_BYTES / 2 };
    await Promise.all(["a", "b"].map((key) => batches.add(changeOf(half, key), true)));
    expect(begun).toEqual([["a", "b"]]);
  });

  it("are made by themselves when no more come", async () => {
    const { batches, begun } = recorded();
    await Promise.all(["a", "b"].map((key) => batches.add(small(key), true)));
    await batches.add(small("c"), true);
    expect(begun).toEqual([["a", "b"], ["c"]]);
  });
});

/** The keys of each transaction begun. */
function recorded(): { batches: BlocksBatches; begun: string[][] } {
  const begun: string[][] = [];
  const batches = new BlocksBatches(async (changes) => void begun.push(changes.map(({ key }) => key)));
  return { batches, begun };
}

/** Its bytes are claimed, not there: only their number counts. */
function changeOf({ isPut, sizeBytes }: { isPut: boolean; sizeBytes: number }, key: string): BlockChange {
  if (!isPut) return { type: "delete", key };
  return { type: "put", key, bytes: { byteLength: sizeBytes } as Uint8Array<ArrayBuffer> };
}

function bytesIn(changes: readonly BlockChange[]): number {
  return changes.reduce((sum, change) => sum + (change.type === "put" ? change.bytes.byteLength : 0), 0);
}
