/** The model that comes with Shoal, in a thread of its own, and what its embeddings are worth. */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEmbedder } from "../../src/headless/search/open-embedder.ts";
import type { TwoSpeedEmbedder } from "../../src/search/embedding/embedder.ts";
import { measureNoise, noiseOf } from "../../src/search/noise.ts";
import { passagesOf } from "../../src/search/passages.ts";
import { keptVectors } from "./quality/kept-vectors.ts";
import { readDocuments, readQueries } from "./quality/quality-set.ts";
import { foundByMeaning, measureRecall, readLibrary } from "./quality/recall.ts";

const DIMENSION = 512;

const NONSENSE = [
  ..."asdfgh qwertz lkjhg sdfsdf zxcvbn hjkl xyzzy aaaaaaaaaa x 7 ? !!! ... %%% @ 999999 MNqVtZ3xKp0b".split(
    " ",
  ),
  ...["kvtqhx brz", "gnuoy wexpl dkr", "🎉🎉", "👨‍👩‍👧", "žluťoučký kůň"],
  ...Array.from({ length: 40 }, (_, at) => randomLetters(at, 4 + (at % 12))),
];

const WITHOUT_MEANING = [
  ...["IMG_4127.jpg", "DSC00421.JPG", "PXL_20220718_183012.jpg", "a1b2c3d4.bin"].map((name) => [name, ""]),
  ...["empty.txt", "scan0003.pdf", "track01.mp3"].map((name) => [name, ""]),
  ["x.js", "var"],
  ["notes.txt", "これは日本語の文章です。自転車の修理について書いてあります。"],
  ["key.pem", "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj"],
] as [name: string, text: string][];

function randomLetters(seed: number, length: number): string {
  const bytes = createHash("sha256").update(String(seed)).digest().subarray(0, length);
  return Array.from(bytes, (byte) => String.fromCharCode(97 + (byte % 26))).join("");
}

describe("the model that comes with Shoal, in its thread", () => {
  let embedder: TwoSpeedEmbedder;
  let reference: { text: string; embedding: string }[];

  beforeAll(async () => {
    embedder = await openEmbedder();
    const file = join(import.meta.dirname, "fixtures/reference.json");
    ({ texts: reference } = JSON.parse(await readFile(file, "utf8")));
    await embedder.embed(["warm"]);
  }, 60_000);
  afterAll(() => embedder.close());

  const cosine = (a: Float32Array, b: Float32Array) =>
    a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
  const row = (all: Float32Array, at: number) => all.subarray(at * DIMENSION, (at + 1) * DIMENSION);

  it("gives what the original gives, but for what 8 bits cost", async () => {
    expect(embedder.dimension).toBe(DIMENSION);
    const all = await embedder.embed(reference.map(({ text }) => text));
    for (const [at, { embedding }] of reference.entries()) {
      const original = new Float32Array(Uint8Array.from(Buffer.from(embedding, "base64")).buffer);
      expect(cosine(row(all, at), original)).toBeGreaterThan(0.997);
      expect(Math.hypot(...row(all, at))).toBeCloseTo(1, 5);
    }
  });

  it("has the noise that is known of it, so that no search has to measure it", async () => {
    const { modelId } = embedder;
    const measured = await measureNoise(embedder);
    const embed = () => expect.unreachable("it is measured");
    const known = await noiseOf({ modelId, dimension: DIMENSION, embed });
    expect(known.floor).toBeCloseTo(measured.floor, 3);
    expect(known.gibberish).toHaveLength(DIMENSION);
    const differences = known.gibberish.map((value, at) => Math.abs(value - (measured.gibberish[at] ?? 1)));
    expect(Math.max(...differences)).toBeLessThan(0.001);
  });

  it("puts texts of one meaning nearer than those that share words", async () => {
    const all = await embedder.embed([
      "How do I mend a flat bicycle tyre?",
      "Patching a punctured bike wheel",
      "How do I mend a broken heart?",
    ]);
    expect(cosine(row(all, 0), row(all, 1))).toBeGreaterThan(cosine(row(all, 0), row(all, 2)));
  });

  it("gives a text the same embedding alone and in any batch", async () => {
    const texts = [...reference.slice(0, 6).map(({ text }) => text), "a longer one ".repeat(80)];
    const together = await embedder.background.embed(texts);
    for (const [at, text] of texts.entries()) {
      const alone = await embedder.embed([text]);
      expect(cosine(alone, row(together, at))).toBeGreaterThan(0.99999);
    }
  });

  it("takes an endless line, half characters and nothing at all", async () => {
    const texts = ["x".repeat(10_000_000), "\ud800".repeat(5000), "", "\0\n", "\ufdfa".repeat(100_000)];
    const all = await embedder.embed(texts);
    for (const at of texts.keys()) expect(Math.hypot(...row(all, at))).toBeCloseTo(1, 5);
  });

  it("finds four of five labelled documents among the first three, where names find few", async () => {
    const [documents, queries] = [await readDocuments(), await readQueries()];
    expect(documents.length).toBeGreaterThanOrEqual(200);
    expect(queries.length).toBeGreaterThanOrEqual(60);
    const names = new Set(documents.map(({ name }) => name));
    expect(names.size).toBe(documents.length);
    for (const { name } of queries) expect(names).toContain(name);

    const library = await readLibrary(documents);
    const ofPassages = await keptVectors(library, embedder.modelId);
    const some = library.passages.map((_, at) => at).filter((at) => at % 40 === 0);
    const anew = await embedder.embed(some.map((at) => library.passages[at]?.text ?? ""));
    for (const [i, at] of some.entries()) {
      expect(cosine(row(anew, i), row(ofPassages, at))).toBeGreaterThan(0.999);
    }
    const ofQueries = await embedder.embed(queries.map(({ text }) => text));
    const noise = await measureNoise(embedder);
    const embeddings = { dimension: DIMENSION, ofPassages, ofQueries, noise };
    const { byName, joined } = measureRecall(library, queries, embeddings);
    expect(joined).toBeGreaterThanOrEqual(0.8);
    expect(joined - byName).toBeGreaterThanOrEqual(0.25);
  }, 60_000);

  it("finds documents for every labelled query, and for one in ten that say nothing at most", async () => {
    const library = await readLibrary(await readDocuments());
    const ofPassages = await keptVectors(library, embedder.modelId);
    const noise = await measureNoise(embedder);
    const shareWithHits = async (texts: string[]) => {
      const ofQueries = await embedder.embed(texts);
      const embeddings = { dimension: DIMENSION, ofPassages, ofQueries, noise };
      const found = texts.filter((_, at) => foundByMeaning(library.passages, at, embeddings).length > 0);
      return found.length / texts.length;
    };
    const queries = await readQueries();
    expect(await shareWithHits(queries.map(({ text }) => text))).toBe(1);
    expect(await shareWithHits(NONSENSE)).toBeLessThanOrEqual(0.1);
  }, 60_000);

  it("finds files that say nothing by few queries that are about something", async () => {
    const passages = WITHOUT_MEANING.map(([name, text]) => ({
      name,
      text: passagesOf(name, text)[0] as string,
    }));
    const queries = await readQueries();
    const ofPassages = await embedder.embed(passages.map(({ text }) => text));
    const ofQueries = await embedder.embed(queries.map(({ text }) => text));
    const embeddings = { dimension: DIMENSION, ofPassages, ofQueries, noise: await measureNoise(embedder) };
    const found = queries.flatMap((_, at) => foundByMeaning(passages, at, embeddings));
    expect(found.length / (passages.length * queries.length)).toBeLessThanOrEqual(0.05);
  }, 60_000);
});

describe("a folder that holds no model", () => {
  it("is refused with the reason", async () => {
    await expect(openEmbedder(import.meta.dirname)).rejects.toMatchObject({
      name: "bad_model",
      message: expect.stringContaining("search has no tokenizer.json"),
    });
  }, 60_000);
});
