/** What callers leave out, and what they change after a call. */
import { expect, it } from "vitest";
import { readBatch, readFacets, readId, readMetadata, readRange } from "../../../src/vx/arguments.ts";
import { type Config, type Duration, parseDuration, readConfig } from "../../../src/vx/config.ts";
import { MAX_DIMENSION, MAX_EF, MAX_M, MIN_M } from "../../../src/vx/hnsw/limits.ts";
import { DEFAULT_K, MAX_INTERVAL_MS, MAX_K } from "../../../src/vx/limits.ts";

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

it.each<[what: string, ids: unknown, vectors: unknown, metadata: unknown]>([
  ["no list of ids", 7, [[1], [2]], undefined],
  ["no list of vectors", [1, 2], {}, undefined],
  ["no list of metadata", [1, 2], [[1], [2]], "ab"],
  ["more vectors than ids", [1], [[1], [2]], undefined],
  ["less metadata than ids", [1, 2], [[1], [2]], [{}]],
  ["more metadata than ids", [1], [[1]], [{}, {}]],
])("refuses a batch with %s", (_what, ids, vectors, metadata) => {
  expect(() => readBatch(ids as never, vectors as never, metadata as never, 1).next()).toThrow(
    expect.objectContaining({ code: "invalid_request", message: expect.stringMatching(/list/) }),
  );
});

it("refuses metadata that JSON does not hold", () => {
  const cycle: Record<string, unknown> = {};
  cycle.own = cycle;
  for (const [wrong, reason] of [
    [{ a: 1n }, /BigInt/],
    [cycle, /^.*own.*$/],
  ] as const) {
    expect(() => readMetadata(wrong)).toThrow(
      expect.objectContaining({ code: "invalid_request", message: expect.stringMatching(reason) }),
    );
  }
});

it("tells of an id that a number holds no more that it is to be a bigint", () => {
  const due = "Invalid id 9007199254740992: beyond 2^53 - 1 it must be a bigint";
  expect(() => readId(2 ** 53)).toThrow(due);
  expect(readId(2n ** 53n)).toBe(2n ** 53n);
  for (const wrong of [-1, 1.5, Number.POSITIVE_INFINITY, 2n ** 64n])
    expect(() => readId(wrong)).toThrow(`Invalid id ${wrong}: it must be an unsigned integer`);
});

it("tells an id that is a text from a number", () => {
  expect(() => readId("7" as never)).toThrow(`Invalid id "7": it must be an unsigned integer`);
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
  ...["1e3", "0x10", " 5 ", "-1", ""].map((text): [string, object] => [
    `backupInterval is ${text}; it must be a duration such as "5m", or milliseconds, up to 24 days`,
    { backupInterval: text },
  ]),
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

it("takes a key of 32 bytes, as UTF-8, and none that is shorter, and says where there is none", () => {
  const read = (encryptionKey: string | undefined) =>
    readConfig({ encryptionEnabled: true, encryptionKey }, true);
  expect(read("é".repeat(16)).encryptionKey).toBe("é".repeat(16));
  expect(() => read("k".repeat(31))).toThrow(
    expect.objectContaining({
      code: "encryption_key_invalid",
      message: expect.stringContaining("this one has 31"),
    }),
  );
  for (const none of ["", undefined]) {
    expect(() => read(none)).toThrow(
      expect.objectContaining({
        code: "encryption_key_invalid",
        message: expect.stringContaining("none is given"),
      }),
    );
  }
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

it("fills in the defaults that are documented", () => {
  const defaults = {
    dimension: undefined,
    distance: undefined,
    storagePath: undefined,
    maxElements: 0,
    hnswM: 16,
    hnswEfConstruct: 200,
    hnswEfSearch: 100,
    quantization: "int8",
    batchSize: 1000,
    persistIntervalMs: 300_000,
    backupIntervalMs: 3_600_000,
    backupPath: undefined,
    backupCompression: true,
    maxBackups: 5,
    encryptionKey: undefined,
    create: true,
  };
  expect(readConfig({}, true)).toMatchObject(defaults);
  expect(readConfig({ storagePath: ":memory:" }, true)).toMatchObject(defaults);
  expect(readConfig({ storagePath: "place/" }, false)).toMatchObject({
    storagePath: "place/",
    backupPath: "place/backups",
    create: false,
  });
});

it("takes what is given in place of the defaults", () => {
  const given = { quantization: "none", backupCompression: false, backupPath: "elsewhere" } as const;
  const config = { ...given, storagePath: "place", persistInterval: "1s", backupInterval: 0 };
  expect(readConfig(config, true)).toMatchObject({ ...given, persistIntervalMs: 1000, backupIntervalMs: 0 });
});

it.each<[name: keyof Config, least: number, most: number]>([
  ["dimension", 1, MAX_DIMENSION],
  ["maxElements", 0, Number.MAX_SAFE_INTEGER],
  ["hnswM", MIN_M, MAX_M],
  ["hnswEfConstruct", 1, MAX_EF],
  ["hnswEfSearch", 1, MAX_EF],
  ["batchSize", 1, Number.MAX_SAFE_INTEGER],
  ["maxBackups", 1, Number.MAX_SAFE_INTEGER],
])("takes %s from %i to %i, and nothing beyond or between", (name, least, most) => {
  for (const value of [least, least + 1, most]) {
    expect(readConfig({ [name]: value }, true)).toMatchObject({ [name]: value });
  }
  for (const value of [least - 1, most + 1, least + 0.5, Number.NaN]) {
    expect(() => readConfig({ [name]: value }, true)).toThrow(
      expect.objectContaining({
        code: "invalid_request",
        message: `Config: ${name} is ${value}; it must be an integer from ${least} to ${most}`,
      }),
    );
  }
});

it.each<[config: Config, message: string]>([
  [{ distance: "dot" as never }, 'Config: distance is "cosine" or "l2"'],
  [{ quantization: "int4" as never }, 'Config: quantization is "int8" or "none"'],
  [{ dimReductionMethod: "LDA" }, 'Config: dimReductionMethod is "PCA", "TSNE" or "UMAP"'],
])("refuses %j, by the names there are", (config, message) => {
  expect(() => readConfig(config, true)).toThrow(
    expect.objectContaining({ code: "invalid_request", message }),
  );
});

it("takes the names of distances and methods in any case", () => {
  expect(readConfig({ distance: "Cosine" }, true).distance).toBe("cosine");
  expect(readConfig({ distance: "L2" }, true).distance).toBe("l2");
  expect(readConfig({ dimReductionMethod: "TSNE" }, true).reduction.method).toBe("tsne");
});

it.each<[duration: Duration, ms: number]>([
  [0, 0],
  [1500, 1500],
  ["1500", 1500],
  ["250ms", 250],
  ["1.5h", 5_400_000],
  ["1h30m", 5_400_000],
  ["2m3s4ms", 123_004],
  [MAX_INTERVAL_MS, MAX_INTERVAL_MS],
])("reads the duration %j", (duration, ms) => {
  expect(parseDuration("persistInterval", duration)).toBe(ms);
});

it.each<Duration>(["", " ", "5 m", "m", "5d", "-1s", -1, Number.NaN, MAX_INTERVAL_MS + 1, "25d", "600h"])(
  "refuses the duration %j",
  (duration) => {
    expect(() => parseDuration("persistInterval", duration)).toThrow(
      expect.objectContaining({
        code: "invalid_request",
        message: expect.stringContaining("persistInterval"),
      }),
    );
  },
);
