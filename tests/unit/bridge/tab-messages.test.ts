/** What tabs and the worker take of what comes to them: another version may say more, and other code of the origin anything. */
import { expect, it } from "vitest";
import { readToAll, readToTab, readToWorker } from "../../../src/bridge/tab-messages.ts";

it.each([null, undefined, "claim", 7, {}, { type: "of another version" }, { type: ["claim"] }])(
  "%j is passed over",
  (data) => {
    for (const read of [readToWorker, readToTab, readToAll]) expect(read(data)).toBeUndefined();
  },
);

it("a message without what its kind needs is passed over, and what it has beside that is left", () => {
  expect([readToTab({ type: "serve" }), readToTab({ type: "serve", tab: 1 })]).toEqual([
    undefined,
    undefined,
  ]);
  expect(readToTab({ type: "serve", tab: null, more: 1 })).toEqual({ type: "serve", tab: null });
  expect([readToAll({ type: "leads" }), readToAll({ type: "knock", pipe: {} })]).toEqual([
    undefined,
    undefined,
  ]);
  expect(readToAll({ type: "leads", leader: "a", more: 1 })).toEqual({ type: "leads", leader: "a" });
  expect(readToAll({ type: "knock", pipe: "b" })).toEqual({ type: "knock", pipe: "b" });
});
