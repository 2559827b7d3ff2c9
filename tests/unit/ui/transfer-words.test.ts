import { expect, test } from "vitest";
import { underWayText } from "../../../src/ui/transfers/transfer-words.ts";

test.each([
  [["in_progress"], "1 download under way"],
  [["in_progress", "started", "interrupted"], "2 downloads under way, 1 paused or waiting"],
  [["interrupted", "interrupted"], "No download under way, 2 paused or waiting"],
] as const)("transfers that are %j are told of as %j", (statuses, told) => {
  expect(underWayText(statuses.map((status) => ({ status })))).toBe(told);
});
