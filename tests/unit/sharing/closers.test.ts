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
