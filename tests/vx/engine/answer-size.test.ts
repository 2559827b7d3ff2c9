/** An answer brings so much metadata and no more, however many records are asked for. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { readConfig } from "../../../src/vx/config.ts";
import type { Engine } from "../../../src/vx/engine/engine.ts";
import { MAX_ANSWER_CHARS } from "../../../src/vx/engine/limits.ts";
import { openEngine } from "../../../src/vx/engine/open-engine.ts";
import { MetadataIndex } from "../../../src/vx/metadata/metadata-index.ts";
import { MemoryDisk } from "../library/memory-disk.ts";

const query = Float32Array.of(1, 2);
const tooMuch = { code: "invalid_request", message: expect.stringContaining("fewer records at a time") };

/** What it was refused for; nothing of a long answer would be told. */
const refusalOf = (answer: Promise<unknown>) =>
  answer.then(
    () => undefined,
    (error: unknown) => error,
  );

/** Four records, three of which go into one answer. */
describe("metadata of an answer", () => {
  const text = `{"text":"${"x".repeat(MAX_ANSWER_CHARS / 4)}"}`;
  let engine: Engine;
  beforeEach(async () => {
    engine = await openEngine(readConfig({ dimension: 2 }, true), new MemoryDisk());
    const ids = BigUint64Array.of(1n, 2n, 3n, 4n);
    await engine.add({ ids, vectors: Float32Array.of(1, 1, 1, 2, 1, 3, 1, 4) });
    vi.spyOn(MetadataIndex.prototype, "get").mockReturnValue(text);
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await engine.close();
  });

  it("is counted in a search, with negatives too, of the page that is asked for", async () => {
    expect(await refusalOf(engine.search(query, { k: 4, page: 1 }))).toMatchObject(tooMuch);
    expect(await refusalOf(engine.searchNegatives(query, [query], { k: 4, page: 1 }))).toMatchObject(tooMuch);
    expect((await engine.search(query, { k: 4, page: 1, pageSize: 3 })).ids).toHaveLength(3);
  });

  it("is counted over all lists of a search with several queries", async () => {
    expect(await refusalOf(engine.searchMany([query, query], 2))).toMatchObject(tooMuch);
    expect(await engine.searchMany([query], 3)).toHaveLength(1);
  });

  it("is counted in a listing", async () => {
    expect(await refusalOf(engine.list(0, 4))).toMatchObject(tooMuch);
    expect((await engine.list(0, 3)).ids).toHaveLength(3);
  });
});
