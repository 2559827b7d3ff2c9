/** A model's bytes: those of version 1 open for ever, and anything odd is refused. */
import { readFile } from "node:fs/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeModel } from "../../../src/vx/reduction/model.ts";
import { readModel, writeModel } from "../../../src/vx/reduction/model-bytes.ts";
import { PcaModel } from "../../../src/vx/reduction/pca-model.ts";
import { PlacingModel } from "../../../src/vx/reduction/placing-model.ts";
import { crc32c } from "../../../src/vx/storage/crc32.ts";

const floats = (...numbers: number[]) => Float32Array.from(numbers);

/** The models that are frozen, with a vector and what it is reduced to. */
const models = {
  pca: {
    model: new PcaModel({
      dimension: 3,
      target: 2,
      first: floats(1, 2, 3),
      second: floats(1, 0, 0, 0, 0.6, 0.8),
    }),
    vector: floats(2, 7, 13),
    reduced: floats(1, 11),
  },
  tsne: {
    model: new PlacingModel({
      ...{ method: "tsne", dimension: 3, target: 1 },
      first: floats(0, 0, 0, 1, 0, 0, 0, 5, 0),
      second: floats(-4, 2, 30),
    }),
    vector: floats(1, 0, 0),
    reduced: floats(2),
  },
  umap: {
    model: new PlacingModel({
      ...{ method: "umap", dimension: 2, target: 2 },
      first: floats(0, 0, 4, 4),
      second: floats(1, 2, 3, 4),
    }),
    vector: floats(4, 4),
    reduced: floats(3, 4),
  },
} as const;
const names = Object.keys(models) as (keyof typeof models)[];

test.each(names)("opens the %s that version 1 has written, and writes it so", async (name) => {
  const path = new URL("../../fixtures/formats/v1/reduction-models.json", import.meta.url);
  const frozen = JSON.parse(await readFile(path, "utf8")) as Record<string, string>;
  const bytes = new Uint8Array(Buffer.from(frozen[name] as string, "base64"));
  const opened = decodeModel(bytes);
  expect(opened.method).toBe(name);
  expect(opened.encode()).toEqual(bytes);
  expect(models[name].model.encode()).toEqual(bytes);
  expect([...opened.reduce(models[name].vector)]).toEqual(
    [...models[name].reduced].map((x) => expect.closeTo(x, 5)),
  );
});

describe("bytes that are not a model's", () => {
  const refused = expect.objectContaining({ name: "VxError", code: "backup_corrupt" });

  test("are refused wherever one of them is another", () => {
    for (const name of names) {
      const whole = models[name].model.encode();
      for (const at of whole.keys()) {
        for (const bit of [1, 128]) {
          const damaged = whole.slice();
          damaged[at] = (damaged[at] as number) ^ bit;
          expect(() => decodeModel(damaged)).toThrow(refused);
        }
      }
    }
  });

  test("are refused where they end too soon or too late, and where there are none", () => {
    for (const name of names) {
      const whole = models[name].model.encode();
      for (let end = 0; end < whole.length; end++) {
        expect(() => decodeModel(whole.subarray(0, end))).toThrow(refused);
      }
      const longer = new Uint8Array(whole.length + 4);
      longer.set(whole);
      expect(() => decodeModel(longer)).toThrow(refused);
    }
  });

  test("are refused or are a whole model, whatever a header with a right checksum says", () => {
    const word = fc.oneof(
      fc.constantFrom(0, 1, 2, 3, 0xffffffff, 20_001),
      fc.integer({ min: 0, max: 70_000 }),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...names),
        fc.dictionary(fc.constantFrom("0", "4", "8", "12", "16", "20", "24", "32", "36"), word, {
          minKeys: 1,
        }),
        (name, words) => {
          const bytes = models[name].model.encode();
          const view = new DataView(bytes.buffer);
          for (const [offset, value] of Object.entries(words)) view.setUint32(Number(offset), value, true);
          view.setUint32(28, crc32c(bytes.subarray(32), crc32c(bytes.subarray(0, 28))), true);
          try {
            const model = decodeModel(bytes);
            expect(model.reduce(new Float32Array(model.dimension))).toHaveLength(model.target);
            expect(model.encode()).toEqual(bytes);
          } catch (error) {
            expect(error).toEqual(refused);
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  test("are refused where a number is not finite", () => {
    const content = readModel(models.pca.model.encode());
    for (const number of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      const wrong = writeModel({ ...content, second: content.second.with(4, number) });
      expect(() => decodeModel(wrong)).toThrow(/not finite/);
    }
  });
});

test.each([
  { what: "PCA of the most dimensions", method: "pca", dimension: 4096, rows: 0, fits: true },
  { what: "UMAP of the most vectors", method: "umap", dimension: 1, rows: 20_000, fits: true },
  { what: "PCA of more dimensions", method: "pca", dimension: 4097, rows: 0, fits: false },
  { what: "UMAP of more vectors", method: "umap", dimension: 1, rows: 20_001, fits: false },
] as const)(
  "takes no more than can be fitted, but all of that: $what",
  ({ method, dimension, rows, fits }) => {
    const first = new Float32Array(method === "pca" ? dimension : rows);
    const bytes = writeModel({ method, dimension, target: 1, rows, first, second: first });
    if (fits) expect(readModel(bytes)).toMatchObject({ method, dimension, target: 1, rows });
    else expect(() => readModel(bytes)).toThrow(/out of range/);
  },
);
