/** What the screen of vectors says of work that the index failed at: src/ui/vectors/failure-text. */
import { expect, test } from "vitest";
import { failureText } from "../../../src/ui/vectors/failure-text.ts";

test("a failure is told with its reason and with what comes of it", () => {
  expect(failureText({ task: "backup", message: "the disk is full" })).toBe(
    "No backup could be made: The disk is full. It is tried again when the next one is due.",
  );
});
