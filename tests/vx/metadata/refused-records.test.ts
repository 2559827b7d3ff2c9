/** Records that are refused together with one that is none: no key, column or row of theirs is left. */
import { expect, test } from "vitest";
import type { MetadataIndex } from "../../../src/vx/metadata/metadata-index.ts";
import { indexOf, slotsOf } from "./records.ts";

/** An index of one record, that then refused two others, with keys of their own. */
async function havingRefused(): Promise<MetadataIndex> {
  const index = await indexOf([{ a: 1 }]);
  const records = ['{"a":2,"b":1,"c":1}', "{"].map((text, at) => ({
    slot: at + 1,
    id: BigInt(at + 1),
    text,
  }));
  expect(() => index.setAll(records)).toThrowError(expect.objectContaining({ code: "invalid_request" }));
  return index;
}

function setTo(index: MetadataIndex, slot: number, object: object): void {
  index.set(slot, BigInt(slot), JSON.stringify(object));
}

test("records go on being taken, with the keys that there were, and with those that were refused", async () => {
  const index = await havingRefused();
  setTo(index, 1, { a: 2 });
  expect(slotsOf(index.filter("a = 2"))).toEqual([1]);
  expect(() => index.query("SELECT b FROM metadata")).toThrow("no such column: b");
  setTo(index, 2, { c: 5, d: 6 });
  expect(index.query("SELECT a, c, d FROM metadata ORDER BY id").rows).toEqual([
    { a: 1, c: null, d: null },
    { a: 2, c: null, d: null },
    { a: null, c: 5, d: 6 },
  ]);
});

test("a key goes with the last record that has it, however many were refused that had it", async () => {
  const index = await havingRefused();
  setTo(index, 1, { a: 2 });
  setTo(index, 0, {});
  expect(index.query("SELECT a FROM metadata ORDER BY id").rows).toEqual([{ a: null }, { a: 2 }]);
  setTo(index, 1, {});
  expect(() => index.query("SELECT a FROM metadata")).toThrow("no such column: a");
});
