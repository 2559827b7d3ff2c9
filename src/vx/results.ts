/**
 * Results as callers of Vx see them, made of the engine's. Metadata is parsed here, in the caller's thread; its text is
 * kept beside it for those who pass it on (api/vx), for whom it may be all that there is.
 */
import { type Metadata, type VectorId, writeId } from "./arguments.ts";
import type { Ranking, RecordPage, StoredRecord } from "./engine/engine.ts";
import type { FirstRows, Row } from "./metadata/metadata-index.ts";

export interface SearchResult {
  id: VectorId;
  /** From the (positive) query vector. Cosine: 1 - similarity. L2: Euclidean. */
  distance: number;
  /** Empty where the record has none. */
  metadata: Metadata;
}

/** Highest score first. */
export interface ScoredResult extends SearchResult {
  /** sim(positive) - (0.5 / n) * sum of sim(negative). */
  score: number;
}

export interface VectorRecord {
  id: VectorId;
  vector: Float32Array;
  metadata: Metadata;
}

export interface RecordList {
  /** Records in the index. */
  total: number;
  records: { id: VectorId; metadata: Metadata }[];
}

/** Rows of a query, the first 10,000. */
export interface Rows extends Array<Row> {
  /** Whether there are more. Not enumerable: the rows are a plain array to who compares, copies or prints them. */
  readonly truncated: boolean;
}

/** A class whose constructor gives what it is given, so that a subclass puts its private fields on that object. */
const Given = class {
  constructor(object: object) {
    // biome-ignore lint/correctness/noConstructorReturn: that is what it is for
    return object;
  }
};

/**
 * The text that metadata was parsed from, on the object itself, where nobody else sees it: a WeakMap takes three times
 * as long.
 */
class SourceText extends Given {
  readonly #text: string;

  constructor(metadata: Metadata, text: string) {
    super(metadata);
    this.#text = text;
  }

  static of(metadata: Metadata): string | undefined {
    return #text in metadata ? (metadata as SourceText).#text : undefined;
  }
}

/** The JSON text of a result's metadata: to the letter what was added. */
export function metadataText(metadata: Metadata): string {
  return SourceText.of(metadata) ?? JSON.stringify(metadata);
}

/** Makes the metadata of a result of its text. */
export type ReadMetadata = (text: string | undefined) => Metadata;

export function parsed(text: string | undefined): Metadata {
  return text === undefined ? {} : withText(JSON.parse(text), text);
}

/** Nothing but the text, which who passes it on asks metadataText for: parsed, it may take ten times as much memory. */
export function unparsed(text: string | undefined): Metadata {
  return text === undefined ? {} : withText({}, text);
}

function withText(metadata: Metadata, text: string): Metadata {
  new SourceText(metadata, text);
  return metadata;
}

export function toResults({ ids, distances, metadata }: Ranking, read: ReadMetadata): SearchResult[] {
  return metadata.map((text, i) => ({
    id: writeId(ids[i] as bigint),
    distance: distances[i] as number,
    metadata: read(text),
  }));
}

export function toScoredResults(ranking: Ranking, read: ReadMetadata): ScoredResult[] {
  const { scores } = ranking;
  return toResults(ranking, read).map((result, i) => ({ ...result, score: scores?.[i] as number }));
}

export function toRecord(id: bigint, { vector, metadata }: StoredRecord, read: ReadMetadata): VectorRecord {
  return { id: writeId(id), vector, metadata: read(metadata) };
}

export function toRecordList({ total, ids, metadata }: RecordPage, read: ReadMetadata): RecordList {
  return { total, records: Array.from(ids, (id, i) => ({ id: writeId(id), metadata: read(metadata[i]) })) };
}

export function toRows({ rows, truncated }: FirstRows): Rows {
  return Object.defineProperty(rows, "truncated", { value: truncated }) as Rows;
}
