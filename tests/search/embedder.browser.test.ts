/** The model in a worker of a page, as built for it, but served from source: its files are fetched from the page's origin. */
import { afterAll, describe, expect, it } from "vitest";
import { openEmbedder } from "../../src/browser/search/open-embedder.ts";
import { dimension, modelId } from "../../src/search/model/build/model-card.ts";
import reference from "./fixtures/reference.json" with { type: "json" };

describe("the model in a worker of the page", async () => {
  const embedder = await openEmbedder();
  afterAll(() => embedder.close());

  it("gives what the original gives, but for what 8 bits cost", async () => {
    expect(embedder).toMatchObject({ dimension, modelId });
    const texts = reference.texts.slice(0, 4);
    const all = await embedder.embed(texts.map(({ text }) => text));
    for (const [at, { embedding }] of texts.entries()) {
      const bytes = Uint8Array.from(atob(embedding), (character) => character.charCodeAt(0));
      const original = new Float32Array(bytes.buffer);
      const one = all.subarray(at * dimension, (at + 1) * dimension);
      const cosine = one.reduce((sum, value, index) => sum + value * (original[index] ?? 0), 0);
      expect(cosine).toBeGreaterThan(0.997);
    }
  });

  it("is refused with the reason where its folder is not there", async () => {
    await expect(openEmbedder("models/nowhere")).rejects.toMatchObject({
      name: "bad_model",
      message: "There is no folder models/nowhere",
    });
  });
});
