/**
 * How many queries find their document among the first three: by names alone, and by names, words and meaning joined as
 * Shoal joins them. Used by the benchmark and a test. Nearest vectors are found by looking at all of them.
 */
import { fuse } from "../../../src/search/fusion.ts";
import { NameIndex } from "../../../src/search/names/name-index.ts";
import { floorOf, type Noise } from "../../../src/search/noise.ts";
import { excerptOf, passagesOf } from "../../../src/search/passages.ts";
import { TextWords, wordHashes } from "../../../src/search/text-words.ts";
import { readText } from "../../../src/search/texts/read-text.ts";
import { joinWords } from "../../../src/search/word-ranking.ts";
import type { LabelledDocument, LabelledQuery } from "./quality-set.ts";

const PLACES = 3;

export interface Recall {
  byName: number;
  joined: number;
}

/** Documents as the index of files takes them in. */
export interface Library {
  names: NameIndex;
  texts: TextWords;
  /** What is embedded, with the name of its document. */
  passages: { name: string; text: string }[];
}

export async function readLibrary(documents: readonly LabelledDocument[]): Promise<Library> {
  const names = new NameIndex();
  const texts = new TextWords();
  const passages: Library["passages"] = [];
  for (const { name, content } of documents) {
    const text = await readText(name, new TextEncoder().encode(content));
    names.set(name, name, excerptOf(text));
    texts.set(name, wordHashes(text));
    for (const passage of passagesOf(name, text)) passages.push({ name, text: passage });
  }
  return { names, texts, passages };
}

/** Embeddings of passages and of queries, row-major, and what is noise to the model. */
export interface Embeddings {
  dimension: number;
  ofPassages: Float32Array;
  ofQueries: Float32Array;
  noise: Noise;
}

export function measureRecall(
  { names, texts, passages }: Library,
  queries: readonly LabelledQuery[],
  embeddings: Embeddings,
): Recall {
  let [byName, joined] = [0, 0];
  for (const [at, { text, name }] of queries.entries()) {
    const named = names.byName(text, () => true);
    const near = foundByMeaning(passages, at, embeddings).map((fileId) => ({ fileId }));
    const words = joinWords(
      names.byExcerpt(text, () => true),
      texts.find(text, () => true),
      near,
    );
    const meaning = near.map(({ fileId }) => ({ fileId, coverage: 1 }));
    const hits = fuse({ exact: names.exact(text), quoted: new Map(), name: named, words, meaning });
    if (named.slice(0, PLACES).some(({ fileId }) => fileId === name)) byName++;
    if (hits.slice(0, PLACES).some(({ fileId }) => fileId === name)) joined++;
  }
  return { byName: byName / queries.length, joined: joined / queries.length };
}

/** Names of the documents that the query at a row of `ofQueries` finds, nearest first. */
export function foundByMeaning(
  passages: Library["passages"],
  query: number,
  { dimension, ofPassages, ofQueries, noise }: Embeddings,
): string[] {
  const row = (all: Float32Array, at: number) => all.subarray(at * dimension, (at + 1) * dimension);
  const floor = floorOf(row(ofQueries, query), noise);
  const similarities = new Map<string, number>();
  for (const [p, passage] of passages.entries()) {
    const similarity = dot(ofQueries, query, ofPassages, p, dimension);
    const best = similarities.get(passage.name) ?? floor;
    if (similarity <= best) continue;
    if (similarity > floorOf(row(ofPassages, p), noise)) similarities.set(passage.name, similarity);
  }
  return [...similarities].sort(([, a], [, b]) => b - a).map(([name]) => name);
}

function dot(a: Float32Array, rowOfA: number, b: Float32Array, rowOfB: number, dimension: number): number {
  let sum = 0;
  for (let at = 0; at < dimension; at++) {
    sum += (a[rowOfA * dimension + at] as number) * (b[rowOfB * dimension + at] as number);
  }
  return sum;
}
