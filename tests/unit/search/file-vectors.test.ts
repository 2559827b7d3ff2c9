/** Vectors of files as the index keeps them: what a file leaves behind, and what the next start finds. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { metadataOf, recordId } from "../../../src/search/file-records.ts";
import { FileVectors } from "../../../src/search/file-vectors.ts";
import { NO_WORDS } from "../../../src/search/text-words.ts";
import type { Vx } from "../../../src/vx/vx.ts";
import { localFile } from "./local-file.ts";
import { WordEmbedder, wordMeaning } from "./word-model.ts";

const { signal } = new AbortController();

let vx: Vx;

beforeEach(async () => {
  vx = await wordMeaning(new WordEmbedder()).openVectors({ folderName: "files", dimension: 2 });
});

afterEach(() => vx.close());

const embedded = (fileId: string, passageCount: number) => ({
  file: localFile(fileId),
  source: "content" as const,
  excerpt: fileId,
  words: NO_WORDS,
  passages: Array.from({ length: passageCount }, (_, at) => `${fileId} ${at}`),
  vectors: new Float32Array(passageCount * 2).fill(1),
});

/** Ids of all records, in ascending order. */
async function recordsThere(): Promise<number[]> {
  const { records } = await vx.list(0, 1000);
  return records.map(({ id }) => Number(id)).sort((a, b) => a - b);
}

it("keeps no passage of a text that is shorter by now, nor any of a file that goes", async () => {
  const vectors = await FileVectors.load(vx, signal);
  await vectors.put([embedded("a", 3), embedded("b", 2)]);
  await vectors.put([embedded("a", 1)]);
  expect(await recordsThere()).toEqual([recordId(1, 0), recordId(2, 0), recordId(2, 1)]);
  await vectors.delete("b");
  expect(await recordsThere()).toEqual([recordId(1, 0)]);
  expect(vectors.entries().map(([fileId]) => fileId)).toEqual(["a"]);
});

it("finds all files at the next start, however many, and gives others numbers of their own", async () => {
  const count = 2001;
  const before = await FileVectors.load(vx, signal);
  await before.put(Array.from({ length: count }, (_, at) => embedded(`file ${at}`, 1)));
  const vectors = await FileVectors.load(vx, signal);
  expect(vectors.fileCount).toBe(count);
  await vectors.put([embedded("new", 1)]);
  expect(vectors.get("new")?.number).toBe(count + 1);
});

it("gives a new file no number of one whose record alone is left, and tidies what a crash left behind", async () => {
  const before = await FileVectors.load(vx, signal);
  await before.put([embedded("a", 1), embedded("b", 3)]);
  // Cut off between the passages of a text that became shorter, and of a file that was deleted or put twice.
  const leftOver = [
    { id: recordId(1, 1), of: embedded("a", 2), passage: 1 },
    { id: recordId(7, 1), of: embedded("gone", 2), passage: 1 },
    { id: recordId(9, 0), of: embedded("a", 1), passage: 0 },
  ];
  for (const { id, of, passage } of leftOver) await vx.add(id, [1, 1], metadataOf(of, passage));
  const vectors = await FileVectors.load(vx, signal);
  expect(vectors.entries().map(([fileId, { number }]) => [fileId, number])).toEqual([
    ["a", 1],
    ["b", 2],
  ]);
  const kept = [recordId(1, 0), recordId(2, 0), recordId(2, 1), recordId(2, 2)];
  expect(await recordsThere()).toEqual(kept);
  await vectors.put([embedded("new", 1)]);
  expect(await recordsThere()).toEqual([...kept, recordId(10, 0)]);
});
