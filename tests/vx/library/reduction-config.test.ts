/** How a Config's reduction is read, made into what a new index keeps, and held against what a stored one has. */
import { expect, it } from "vitest";
import type { Config } from "../../../src/vx/config.ts";
import { MAX_FIT_AFTER } from "../../../src/vx/engine/limits.ts";
import { checkReduction, newReduction, readReduction } from "../../../src/vx/reduction-config.ts";

const enableDimReduction = true;

function kept(config: Config, dimension: number) {
  return newReduction(readReduction({ enableDimReduction, ...config }), dimension);
}

it("keeps nothing of an index that does not reduce", () => {
  expect(kept({ enableDimReduction: false, dimReductionTarget: 3 }, 8)).toBeUndefined();
  expect(newReduction(readReduction({}), 8)).toBeUndefined();
});

it("reduces to half of the dimension by PCA, where nothing else is said", () => {
  const plain = { method: "pca", adaptive: false, minVariance: 0.95 };
  expect(kept({}, 9)).toEqual({ ...plain, target: 4, fitAfter: 256 });
  expect(kept({}, 1)).toEqual({ ...plain, target: 1, fitAfter: 256 });
  expect(kept({}, 1000)).toEqual({ ...plain, target: 500, fitAfter: 1000 });
});

it("keeps what is asked for, and waits for twice as many vectors as numbers at least", () => {
  const config = {
    dimReductionMethod: "UMAP",
    dimReductionTarget: 8,
    dimReductionAdaptive: true,
    dimReductionMinVariance: 0.1234567,
  };
  const facts = { method: "umap", target: 8, adaptive: true, minVariance: 0.123457 };
  expect(kept({ ...config, fitAfter: 15 }, 8)).toEqual({ ...facts, fitAfter: 16 });
  expect(kept({ ...config, fitAfter: 17 }, 8)).toEqual({ ...facts, fitAfter: 17 });
});

it.each<[config: Config, says: string]>([
  [{ dimReductionTarget: 0 }, "dimReductionTarget"],
  [{ dimReductionTarget: 9 }, "dimReductionTarget"],
  [{ dimReductionTarget: 1.5 }, "dimReductionTarget"],
  [{ dimReductionMinVariance: -0.01 }, "dimReductionMinVariance"],
  [{ dimReductionMinVariance: 1.01 }, "dimReductionMinVariance"],
  [{ dimReductionMinVariance: Number.NaN }, "dimReductionMinVariance"],
  [{ fitAfter: 0 }, "fitAfter"],
  [{ fitAfter: MAX_FIT_AFTER + 1 }, "fitAfter"],
  [{ dimension: 4097 }, "at most 4096 numbers"],
])("refuses %j of vectors of eight numbers", (config, says) => {
  expect(() => kept(config, 8)).toThrow(
    expect.objectContaining({ code: "invalid_request", message: expect.stringContaining(says) }),
  );
  expect(() => kept({ dimension: 8, ...config }, 8)).toThrow(says);
});

it("takes the ends of what there may be", () => {
  const config = { dimension: 4096, dimReductionTarget: 4096, fitAfter: MAX_FIT_AFTER };
  for (const dimReductionMinVariance of [0, 1]) {
    expect(kept({ ...config, dimReductionMinVariance }, 4096)).toMatchObject({
      target: 4096,
      minVariance: dimReductionMinVariance,
      fitAfter: MAX_FIT_AFTER,
    });
  }
  expect(kept({ dimReductionTarget: 1, fitAfter: 1 }, 8)).toMatchObject({ target: 1, fitAfter: 2 });
  expect(readReduction({ dimension: 4097 }).enabled).toBeUndefined();
});

it("opens an index again with the Config that it was made with, and with one that says nothing", () => {
  for (const config of [
    {},
    { dimReductionTarget: 8, fitAfter: 3 },
    { dimReductionMethod: "tsne", dimReductionMinVariance: 0.1234567, fitAfter: 40 },
  ]) {
    const stored = kept(config, 8);
    checkReduction(readReduction({ enableDimReduction, ...config }), stored);
    checkReduction(readReduction({}), stored);
  }
  checkReduction(readReduction({ enableDimReduction: false, dimReductionTarget: 3 }), undefined);
});

it.each<[config: Config, says: string]>([
  [{ enableDimReduction: false }, "reduces vectors; enableDimReduction is false"],
  [{ dimReductionMethod: "UMAP" }, "method pca, not umap"],
  [{ dimReductionTarget: 3 }, "target 4, not 3"],
  [{ dimReductionAdaptive: true }, "adaptive false, not true"],
  [{ dimReductionMinVariance: 0.5 }, "minVariance 0.95, not 0.5"],
  [{ fitAfter: 300 }, "fitAfter 256, not 300"],
])("refuses %j of an index that has something else stored", (config, says) => {
  expect(() => checkReduction(readReduction(config), kept({}, 8))).toThrow(
    expect.objectContaining({ code: "invalid_request", message: expect.stringContaining(says) }),
  );
});

it("refuses to reduce an index that was made without", () => {
  expect(() => checkReduction(readReduction({ enableDimReduction }), undefined)).toThrow(
    expect.objectContaining({
      code: "invalid_request",
      message: "The stored index does not reduce vectors; enableDimReduction is true",
    }),
  );
});
