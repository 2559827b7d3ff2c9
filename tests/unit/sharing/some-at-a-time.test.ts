/** The same work for each of many, some under way at a time. */
import { expect, it } from "vitest";
import { someAtATime } from "../../../src/sharing/some-at-a-time.ts";
import { type Deferred, deferred } from "../../deferred.ts";
import { settled } from "../hand-clock.ts";

/** Works through what is named, two at a time, each for as long as its test likes. */
function begin(all: string[]) {
  const underWay = new Map<string, Deferred<string>>();
  const done = someAtATime(all, 2, (name) => {
    const work = deferred<string>();
    underWay.set(name, work);
    return work.promise.finally(() => underWay.delete(name));
  });
  const end = async (name: string, work: (one: Deferred<string>) => void) => {
    work(underWay.get(name) as Deferred<string>);
    await settled();
  };
  return { done, names: () => [...underWay.keys()], end };
}

it("begins the next when one is over, and gives what came of each in their own order", async () => {
  const { done, names, end } = begin(["a", "b", "c"]);
  expect(names()).toEqual(["a", "b"]);
  await end("b", (work) => work.resolve("B"));
  expect(names()).toEqual(["a", "c"]);
  await end("c", (work) => work.resolve("C"));
  await end("a", (work) => work.resolve("A"));
  expect(await done).toEqual(["A", "B", "C"]);
});

it("begins none after a failure, of which it tells once what was under way is over", async () => {
  const { done, names, end } = begin(["a", "b", "c"]);
  let isOver = false;
  const failure = done.catch((error: unknown) => {
    isOver = true;
    return error;
  });
  await end("b", (work) => work.reject("b failed"));
  expect([names(), isOver]).toEqual([["a"], false]);
  await end("a", (work) => work.reject("a failed"));
  expect([names(), await failure]).toEqual([[], "b failed"]);
});

it("does nothing where there is nothing", async () => {
  expect(await begin([]).done).toEqual([]);
});
