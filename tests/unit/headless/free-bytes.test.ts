/** The room that a disk has. */
import { tmpdir } from "node:os";
import { expect, it } from "vitest";
import { freeBytesAt } from "../../../src/headless/files/free-bytes.ts";

it("is some, in bytes", async () => {
  const bytes = await freeBytesAt(tmpdir());
  expect([bytes > 0, Number.isInteger(bytes)]).toEqual([true, true]);
});

it.skipIf(process.platform !== "linux")(
  "has no end on one that has no size, as some in the network",
  async () => {
    expect(await freeBytesAt("/proc")).toBe(Number.POSITIVE_INFINITY);
  },
);

it("has no end where it can't be told", async () => {
  expect(await freeBytesAt("/nowhere/at/all")).toBe(Number.POSITIVE_INFINITY);
});
