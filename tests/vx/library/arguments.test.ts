/** What callers leave out, and what they change after a call. */
import { expect, it } from "vitest";
import { readBatch, readFacets, readRange } from "../../../src/vx/arguments.ts";
import { type Config, readConfig } from "../../../src/vx/config.ts";
import { DEFAULT_K, MAX_K } from "../../../src/vx/limits.ts";

it("takes a page without a size for all k, and no page for the first", () => {
  expect(readRange()).toEqual({ k: DEFAULT_K, page: 1, pageSize: DEFAULT_K });
  expect(readRange(25)).toEqual({ k: 25, page: 1, pageSize: 25 });
  expect(readRange(25, 2)).toEqual({ k: 25, page: 2, pageSize: 25 });
  expect(readRange(25, undefined, 3)).toEqual({ k: 25, page: 1, pageSize: 3 });
  expect(readRange(MAX_K, 2, 7)).toEqual({ k: MAX_K, page: 2, pageSize: 7 });
});

it.each<[k?: number, page?: number, pageSize?: number]>([
  [0],
  [MAX_K + 1],
  [1, 0],
  [1, 1, 0],
  [1.5],
  [1, 1.5],
])("refuses the range %j", (...range) => {
  expect(() => readRange(...range)).toThrow(expect.objectContaining({ code: "invalid_request" }));
});

it.each([
  [-1, "invalid_request"],
  [2 ** 40, "capacity_exceeded"],
])("refuses a batch of %i vectors", (length, code) => {
  const lists = { length } as ArrayLike<never>;
  expect(() => readBatch(lists, lists, undefined, 3).next()).toThrow(expect.objectContaining({ code }));
});

it.each(["storagePath", "backupPath"])("refuses an empty %s, which would be the root", (name) => {
  const message = `Config: ${name} is empty`;
  expect(() => readConfig({ [name]: "" }, true)).toThrow(
    expect.objectContaining({ code: "invalid_request", message }),
  );
});

it.each<[what: string, config: unknown]>([
  ["there is no field dimensions", { dimensions: 3 }],
  ["there is no field constructor", { constructor: 3 }],
  ["a Config is an object of fields", "index"],
  ["a Config is an object of fields", null],
  ["dimension must be a number", { dimension: "3" }],
  ["storagePath must be a string", { storagePath: new URL("file:///index") }],
  ["encryptionEnabled must be a boolean", { encryptionEnabled: "false" }],
  ["encryptionKey must be a string", { encryptionEnabled: true, encryptionKey: new Uint8Array(32) }],
  ["backupInterval must be a number or a string", { backupInterval: true }],
])("refuses a Config that would be read as another: %s", (what, config) => {
  expect(() => readConfig(config as Config, true)).toThrow(
    expect.objectContaining({ code: "invalid_request", message: `Config: ${what}` }),
  );
});

it("refuses a key of which nothing says whether it is to be used", () => {
  const encryptionKey = "k".repeat(32);
  expect(() => readConfig({ encryptionKey }, true)).toThrow(
    expect.objectContaining({
      code: "invalid_request",
      message: expect.stringContaining("encryptionEnabled"),
    }),
  );
  expect(readConfig({ encryptionKey, encryptionEnabled: true }, true).encryptionKey).toBe(encryptionKey);
  expect(readConfig({ encryptionKey, encryptionEnabled: false }, true).encryptionKey).toBeUndefined();
  expect(readConfig({ encryptionKey: "" }, true).encryptionKey).toBeUndefined();
});

it.each([
  "dimension",
  "storagePath",
  "distance",
  "maxElements",
  "hnswM",
  "hnswEfConstruct",
  "hnswEfSearch",
  "quantization",
  "batchSize",
  "persistInterval",
  "backupInterval",
  "backupPath",
  "backupCompression",
  "maxBackups",
  "encryptionEnabled",
  "encryptionKey",
  "enableDimReduction",
  "dimReductionMethod",
  "dimReductionTarget",
  "dimReductionAdaptive",
  "dimReductionMinVariance",
  "fitAfter",
] satisfies (keyof Config)[])("takes %s of a Config as left out where it is undefined or null", (name) => {
  for (const absent of [undefined, null]) {
    expect(readConfig({ [name]: absent } as Config, true)).toEqual(readConfig({}, true));
  }
});

it("has facets as they were when it was called", () => {
  const given: Record<string, string> = { x: "1" };
  const facets = readFacets(given);
  given.x = "2";
  expect(facets).toEqual({ x: "1" });
});
