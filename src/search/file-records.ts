/**
 * What the index of files holds of one. Used by file-vectors, which keeps it, and by nearest-files, which asks. A stored format:
 *
 * A file has a number from 1, and its passages have the records number * 16 + passage. Metadata:
 *
 * | key        | value                                                                                             |
 * |------------|---------------------------------------------------------------------------------------------------|
 * | file_id    | CID                                                                                               |
 * | passage    | 0..15                                                                                             |
 * | passages   | how many records the file has; one at or above it is left over and goes                           |
 * | source     | `content`, `excerpt` (as its holders tell) or `name`: what was embedded beside the name            |
 * | text       | the beginning of the passage, of passage 0 that of the whole text, to be shown                    |
 * | words      | those of the name and the whole text (text-words); of passage 0 alone, and only where it has a text |
 * | offered    | the holders' excerpt that was embedded; only where source is `excerpt`                            |
 * | name, type, kind, size, complete, created_at, local, network, holders | for filters                            |
 */
import { tidy } from "../sharing/tidy.ts";
import { fileTypeOf } from "./file-kind.ts";
import type { KnownFile } from "./known-file.ts";
import { RECORDS_A_FILE, SNIPPET_CHARS } from "./limits.ts";
import { decodeHashes, encodeHashes, NO_WORDS, type WordHashes } from "./text-words.ts";

/** What was embedded of a file beside its name. */
export type Source = "content" | "excerpt" | "name";

/** What the index holds of a file. */
export interface IndexedFile {
  number: number;
  passageCount: number;
  source: Source;
  /** The beginning of the text. */
  excerpt: string;
  /** Those of the name and the whole text, where it was read here. */
  words: WordHashes;
  offeredExcerpt: string;
  name: string;
  isLocal: boolean;
  isComplete: boolean;
  isOffered: boolean;
  holderCount: number;
}

/** A file to be put into the index, with the vectors of its passages, row-major [passages.length, dimension]. */
export interface EmbeddedFile {
  file: KnownFile;
  source: Source;
  excerpt: string;
  words: WordHashes;
  passages: readonly string[];
  vectors: Float32Array;
}

/** The metadata that are read again, of those in the table. */
export interface StoredRow {
  file_id: string;
  passage: number;
  passages: number;
  source: Source;
  text: string;
  words?: string;
  offered?: string;
  name: string;
  local: boolean;
  network: boolean;
  complete: boolean;
  holders: number;
}

export function recordId(number: number, passage: number): number {
  return number * RECORDS_A_FILE + passage;
}

export function recordIds({ number, passageCount }: IndexedFile): number[] {
  return Array.from({ length: passageCount }, (_, passage) => recordId(number, passage));
}

export function placeOf(id: number): { number: number; passage: number } {
  return { number: Math.floor(id / RECORDS_A_FILE), passage: id % RECORDS_A_FILE };
}

/** Metadata of a passage's record. */
export function metadataOf(embedded: EmbeddedFile, passage: number): Record<string, unknown> {
  const { file, source, excerpt, words, passages } = embedded;
  return {
    ...factsOf(file),
    source,
    ...(passage === 0 && words.length > 0 && { words: encodeHashes(words) }),
    ...(source === "excerpt" && { offered: file.offeredExcerpt }),
    passage,
    passages: passages.length,
    text: passage === 0 ? excerpt : tidy(passages[passage] ?? "", SNIPPET_CHARS),
  };
}

/** The metadata that tell of the file, whatever was embedded of it. */
export function factsOf(file: KnownFile): Record<string, unknown> {
  const { kind, mediaType } = fileTypeOf(file.name);
  return {
    file_id: file.fileId,
    name: file.name,
    type: mediaType,
    kind,
    size: file.sizeBytes,
    complete: file.isComplete,
    created_at: file.createdAt?.toISOString() ?? null,
    local: file.isLocal,
    network: file.holders.length > 0,
    holders: file.holders.length,
  };
}

/** The file as the index holds it once its records are written. */
export function indexedFile(
  file: KnownFile,
  stored: Pick<IndexedFile, "number" | "passageCount" | "source" | "excerpt" | "words" | "offeredExcerpt">,
): IndexedFile {
  const { number, passageCount, source, excerpt, words, offeredExcerpt } = stored;
  return {
    number,
    passageCount,
    source,
    excerpt,
    words,
    offeredExcerpt,
    name: file.name,
    isLocal: file.isLocal,
    isComplete: file.isComplete,
    isOffered: file.holders.length > 0,
    holderCount: file.holders.length,
  };
}

/** The file as its first record tells of it. */
export function fileOfRow(row: StoredRow, number: number): IndexedFile {
  return {
    number,
    passageCount: row.passages,
    source: row.source,
    excerpt: row.text,
    words: row.words === undefined ? NO_WORDS : decodeHashes(row.words),
    offeredExcerpt: row.offered ?? "",
    name: row.name,
    isLocal: row.local,
    isComplete: row.complete,
    isOffered: row.network,
    holderCount: row.holders,
  };
}
