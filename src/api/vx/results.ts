/**
 * Answers of the index as JSON texts, bit by bit, for one may be long. Written by hand where JSON.stringify would
 * change what is kept: metadata goes out to the letter as it came in, integers beyond 2^53 with all their digits, and
 * infinity as a number. Called by the routes of this folder.
 */
import { z } from "@hono/zod-openapi";
import type { Row, SqlValue } from "../../vx/metadata/metadata-index.ts";
import { metadataText, type ScoredResult, type SearchResult, type VectorRecord } from "../../vx/results.ts";
import { Id, Metadata } from "./fields.ts";

export const Result = z
  .object({
    id: Id,
    distance: z.number().min(0).openapi({
      description: "1 - cosine similarity (0 to 2), or the Euclidean distance, by the index's metric",
    }),
    metadata: Metadata,
  })
  .openapi("SearchResult");

export const Scored = Result.extend({
  score: z.number().openapi({
    description:
      "sim(positive) - (0.5 / n) * sum of sim(negative); sim is 1 - distance under cosine, else 1 / (1 + distance)",
  }),
}).openapi("ScoredResult");

export type Result = z.infer<typeof Result>;
export type Scored = z.infer<typeof Scored>;

/** A JSON array, a text each. */
export function* arrayTexts<T>(entries: Iterable<T>, textOf: (entry: T) => string): Generator<string> {
  let before = "[";
  for (const entry of entries) {
    yield before + textOf(entry);
    before = ",";
  }
  yield before === "[" ? "[]" : "]";
}

/** Of as many lists an array of arrays. */
export function* arraysTexts<T>(
  lists: readonly (readonly T[])[],
  textOf: (entry: T) => string,
): Generator<string> {
  yield "[";
  for (const [i, list] of lists.entries()) {
    if (i > 0) yield ",";
    yield* arrayTexts(list, textOf);
  }
  yield "]";
}

export function resultText(result: SearchResult | ScoredResult): string {
  const score = "score" in result ? `,"score":${result.score}` : "";
  const metadata = metadataText(result.metadata);
  return `{"id":${result.id},"distance":${result.distance}${score},"metadata":${metadata}}`;
}

export function recordText({ id, vector, metadata }: VectorRecord): string {
  return `{"id":${id},"vector":[${vector.join(",")}],"metadata":${metadataText(metadata)}}`;
}

/** Of a query. */
export function rowText(row: Row): string {
  const members = Object.entries(row).map(([name, value]) => `${JSON.stringify(name)}:${valueText(value)}`);
  return `{${members.join(",")}}`;
}

/** The members of an answer's object, of which the first is made of texts. */
export function* objectTexts(name: string, texts: Iterable<string>, others = ""): Generator<string> {
  yield `{"${name}":`;
  yield* texts;
  yield `${others}}`;
}

function valueText(value: SqlValue): string {
  if (typeof value === "bigint") return String(value);
  // Readers of JSON take a number beyond the largest for infinity, of which JSON.stringify makes null.
  if (value === Number.POSITIVE_INFINITY) return "1e999";
  if (value === Number.NEGATIVE_INFINITY) return "-1e999";
  return JSON.stringify(value);
}
