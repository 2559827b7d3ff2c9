/** In which order what was opened is closed: src/sharing/closers. */
import { expect, it } from "vitest";
import { Closers } from "../../../src/sharing/closers.ts";

function openingPart() {
  let open: (name: string) => void = () => undefined;
  const opening = new Promise<string>((resolve) => {
    open = resolve;
  });
  return { opening, open };
}

it("Closers close in reverse what was opened, and what is still being opened once that is open", async () => {
  const closed: string[] = [];
  const closers = new Closers(() => undefined);
  const close = async (part: string) => void closed.push(part);
  const late = openingPart();
  const failing = closers.keep(Promise.reject(new Error("no")), close);
  const opened = Promise.all([
    closers.keep(Promise.resolve("first"), close),
    closers.keep(late.opening, close),
    failing,
  ]);
  await expect(opened).rejects.toThrow("no");
  const closing = closers.closeAll();
  late.open("late");
  await closing;
  expect(closed).toEqual(["late", "first"]);
});

it("a pair is closed at the same time, in its turn, though one of the two fails", async () => {
  const closed: string[] = [];
  const errors: unknown[] = [];
  const closers = new Closers((error) => errors.push(error));
  const close = (part: string) => async () => void closed.push(part);
  closers.add(close("earlier"));
  const [left, right] = closers.pair();
  closers.add(close("later"));
  const [leftBegins, rightBegins] = [openingPart(), openingPart()];
  left.add(close("left, earlier"));
  left.add(async () => {
    leftBegins.open("");
    await rightBegins.opening;
    throw new Error("no");
  });
  right.add(async () => {
    rightBegins.open("");
    await leftBegins.opening;
    closed.push("right");
  });
  await closers.closeAll();
  expect([closed[0], closed.slice(1, 3).sort(), closed[3]]).toEqual([
    "later",
    ["left, earlier", "right"],
    "earlier",
  ]);
  expect(errors).toMatchObject([{ message: "no" }]);
});
