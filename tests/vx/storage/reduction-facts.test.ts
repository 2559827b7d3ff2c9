/** How an index reduces, in headers and manifests: what was written comes back, and anything else is refused. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  decodeHeader,
  encodeHeader,
  type FileHeader,
  randomId,
} from "../../../src/vx/storage/file-header.ts";
import { decodeManifest, encodeManifest } from "../../../src/vx/storage/manifest.ts";
import { checkedReduction, storedShare } from "../../../src/vx/storage/reduction-facts.ts";

const DIMENSION = 300;

const reduction = fc.record({
  method: fc.constantFrom("pca" as const, "tsne" as const, "umap" as const),
  target: fc.integer({ min: 1, max: DIMENSION }),
  adaptive: fc.boolean(),
  minVariance: fc.double({ min: 0, max: 1, noNaN: true }).map(storedShare),
  fitAfter: fc.integer({ min: 1, max: 100_000 }),
});

function headerOf(facts: Partial<FileHeader["facts"]>): FileHeader {
  return {
    kind: "snapshot",
    sequence: 7,
    fileId: randomId(),
    indexId: randomId(),
    timeline: randomId(),
    key: undefined,
    facts: { dimension: DIMENSION, metric: "l2", m: 16, efConstruction: 200, ...facts },
  };
}

describe("the facts of a reduction", () => {
  it("come back from a header and from a manifest", () => {
    fc.assert(
      fc.property(reduction, (facts) => {
        const header = headerOf({ reduction: facts });
        expect(decodeHeader(encodeHeader(header), "snapshot", "here")).toEqual(header);
        const manifest = {
          ...{ id: randomId(), createdAt: new Date(0), history: header, base: undefined, after: 0, last: 7 },
          model: randomId(),
          files: [{ name: "snapshot", sizeBytes: 5, digests: [new Uint8Array(32)] }],
        };
        const read = decodeManifest(encodeManifest(manifest), "here");
        expect(read.history.facts).toEqual(header.facts);
        expect(read.model).toEqual(manifest.model);
      }),
    );
  });

  it("make a header that programs without them refuse by its version, and none other does", () => {
    const versionOf = (facts: Partial<FileHeader["facts"]>) => encodeHeader(headerOf(facts))[4];
    const facts = { method: "pca", target: 2, adaptive: false, minVariance: 0.95, fitAfter: 256 } as const;
    expect([versionOf({}), versionOf({ reduction: facts })]).toEqual([1, 2]);
  });

  it.each([
    { method: "lda" },
    { target: 0 },
    { target: DIMENSION + 1 },
    { target: 1.5 },
    { adaptive: 1 },
    { minVariance: -0.1 },
    { minVariance: 1.1 },
    { minVariance: Number.NaN },
    { fitAfter: 0 },
    { fitAfter: 2 ** 32 },
  ])("are none with %o", (wrong) => {
    const facts = { method: "umap", target: 2, adaptive: true, minVariance: 0.95, fitAfter: 256 };
    expect(checkedReduction(facts, DIMENSION)).toEqual(facts);
    expect(checkedReduction({ ...facts, ...wrong }, DIMENSION)).toBeUndefined();
  });
});
