/** Writes that come while one is under way: which are written together, in which order, and what a failure fails. */
import { expect, it } from "vitest";
import { GroupedWrites } from "../../../src/sharing/grouped-writes.ts";
import { deferred } from "../../deferred.ts";

it("writes together, in order, what comes while a write is under way", async () => {
  const groups: number[][] = [];
  const disk = deferred<void>();
  const writes = new GroupedWrites<number>(async (group) => {
    groups.push(group);
    await disk.promise;
  });
  const written = [0, 1, 2, 3].map((write) => writes.write(write));
  expect(groups).toEqual([[0]]);
  disk.resolve();
  await Promise.all(written);
  expect(groups).toEqual([[0], [1, 2, 3]]);
});

it("throws a failure to all that it failed, and goes on with what came meanwhile", async () => {
  const fates = ["full", undefined];
  const writes = new GroupedWrites<number>(async () => {
    const fate = fates.shift();
    await Promise.resolve();
    if (fate !== undefined) throw new Error(fate);
  });
  const outcomes = await Promise.allSettled([writes.write(0), writes.write(1), writes.write(2)]);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
});

it("is idle once all is written that was asked for, also while a write was under way", async () => {
  const done: number[] = [];
  const writes = new GroupedWrites<number>(async (group) => {
    await new Promise((resolve) => setImmediate(resolve));
    done.push(...group);
  });
  void writes.write(0);
  void writes.write(1);
  await writes.idle();
  expect(done).toEqual([0, 1]);
  await writes.idle();
});
