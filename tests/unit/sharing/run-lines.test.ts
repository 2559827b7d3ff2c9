/** Which of a folder's files wait with others: src/sharing/transfers/run-lines. */
import { expect, it } from "vitest";
import { RunLines } from "../../../src/sharing/transfers/run-lines.ts";

it("a file waits with others of its folder as long as some are left, and none has come meanwhile", () => {
  const lines = new RunLines();
  const [first, second, third] = [lines.lineUp("a"), lines.lineUp("a"), lines.lineUp("a")];
  lines.leave(lines.lineUp("b"), "b");
  lines.leave(lines.lineUp(undefined), undefined);
  lines.leave(first, "a");
  expect(lines.isWaitingWhole("a", 1)).toBe(true);
  lines.came("a", 1);
  expect([1, 2].map((sinceMs) => lines.isWaitingWhole("a", sinceMs))).toEqual([false, true]);
  lines.leave(second, "a");
  expect(lines.isWaitingWhole("a", 2)).toBe(false);
  lines.lineUp("a");
  expect([1, 2].map((sinceMs) => lines.isWaitingWhole("a", sinceMs))).toEqual([false, true]);
  lines.leave(third, "a");
  expect(lines.isWaitingWhole("a", 2)).toBe(false);
});

it("the last of a folder that goes takes with it when its files came", () => {
  const lines = new RunLines();
  const only = lines.lineUp("a");
  lines.came("a", 1);
  lines.leave(only, "a");
  for (let file = 0; file < 2; file++) lines.lineUp("a");
  expect(lines.isWaitingWhole("a", 1)).toBe(true);
});
