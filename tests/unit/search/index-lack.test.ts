/**
 * What the index of files lacks, by a clock that the test moves: what goes and when, what there is room for, what is
 * brought up to date.
 */
import { describe, expect, it } from "vitest";
import { type IndexedFile, indexedFile } from "../../../src/search/file-records.ts";
import { IndexLack } from "../../../src/search/index-lack.ts";
import type { KnownFile } from "../../../src/search/known-file.ts";
import {
  GONE_AFTER_MS,
  HOLDERS_EVERY_MS,
  MAX_INDEXED_FILES,
  MAX_RESTATED,
} from "../../../src/search/limits.ts";
import { NO_WORDS } from "../../../src/search/text-words.ts";
import { HandClock } from "../hand-clock.ts";
import { localFile } from "./local-file.ts";

const offerOf = (fileId: string, ...holders: string[]) =>
  localFile(fileId, { isLocal: false, isComplete: false, holders });

/** A directory and an index in the test's hands. */
function openLack({ elsewhereCount = 0 } = {}) {
  const clock = new HandClock(1);
  const files = new Map<string, KnownFile>();
  const indexed = new Map<string, IndexedFile>();
  let version = 0;
  const lack = new IndexLack({
    clock,
    isUnread: () => false,
    directory: {
      get version() {
        return version;
      },
      all: () => [...files.values()],
      get: (fileId) => files.get(fileId),
    },
    vectors: {
      get fileCount() {
        return indexed.size + elsewhereCount;
      },
      entries: () => [...indexed],
      get: (fileId) => indexed.get(fileId),
    },
  });
  return {
    clock,
    lack,
    set(...all: KnownFile[]) {
      version += 1;
      for (const file of all) files.set(file.fileId, file);
    },
    remove(fileId: string) {
      version += 1;
      files.delete(fileId);
    },
    index(file: KnownFile, source: IndexedFile["source"] = "content") {
      const { offeredExcerpt } = file;
      const stored = { number: 1, passageCount: 1, source, excerpt: "", words: NO_WORDS, offeredExcerpt };
      indexed.set(file.fileId, indexedFile(file, stored));
    },
    idsOf: (what: "embed" | "restate") => lack.look()?.[what].map(({ fileId }) => fileId),
  };
}

describe("what is gone", () => {
  it("is deleted after its time, though nothing else changes", async () => {
    const { clock, lack, set, index, remove } = openLack();
    set(localFile("a"));
    index(localFile("a"));
    lack.look();
    remove("a");
    expect(lack.look()?.delete).toEqual([]);
    const goneMs = clock.monotonic();
    await clock.pass(GONE_AFTER_MS - 1);
    expect(lack.look()?.delete ?? []).toEqual([]);
    expect(lack.nextLookMs).toBeLessThanOrEqual(goneMs + GONE_AFTER_MS);
    await clock.pass(1);
    expect(lack.look()?.delete).toEqual(["a"]);
  });

  it("has all of its time again once it was back", async () => {
    const { clock, lack, set, index, remove } = openLack();
    index(localFile("a"));
    lack.look();
    await clock.pass(GONE_AFTER_MS - 1);
    set(localFile("a"));
    expect(lack.look()?.delete).toEqual([]);
    await clock.pass(1);
    remove("a");
    expect(lack.look()?.delete).toEqual([]);
    await clock.pass(GONE_AFTER_MS);
    expect(lack.look()?.delete).toEqual(["a"]);
  });
});

describe("what is to be embedded", () => {
  it("is no more than the index takes, but for what is in it under another name", () => {
    const { lack, set, index, idsOf } = openLack({ elsewhereCount: MAX_INDEXED_FILES - 2 });
    index(localFile("renamed", { name: "old.txt" }));
    set(localFile("first"), localFile("second"), localFile("renamed"));
    expect(lack.embedCount()).toBe(2);
    expect(idsOf("embed")).toEqual(["first", "renamed"]);
  });

  it("is what its holders tell anew of a file, until its own text is read", () => {
    const { set, index, idsOf } = openLack();
    for (const fileId of ["told", "read"])
      index(offerOf(fileId, "ada"), fileId === "read" ? "content" : "name");
    const anew = { offeredExcerpt: "about boats" };
    set({ ...offerOf("told", "ada"), ...anew }, { ...offerOf("read", "ada"), ...anew });
    expect(idsOf("embed")).toEqual(["told"]);
  });
});

describe("what filters ask for", () => {
  it.each([
    ["comes here", offerOf("a", "ada"), localFile("a", { isComplete: false, holders: ["ada"] })],
    ["becomes complete", localFile("a", { isComplete: false }), localFile("a")],
    ["is offered", localFile("a"), localFile("a", { holders: ["ada"] })],
    ["is offered no more", localFile("a", { holders: ["ada"] }), localFile("a")],
  ])("is brought up to date at once of a file that %s", (_what, before, after) => {
    const { set, index, idsOf } = openLack();
    index(before);
    set(after);
    expect(idsOf("restate")).toEqual(["a"]);
  });

  it("is brought up to date once a minute where only the number of holders is another, of some files at a time", async () => {
    const { clock, set, index, idsOf } = openLack();
    const ids = Array.from({ length: MAX_RESTATED + 1 }, (_, at) => `${at}`);
    for (const fileId of ids) index(offerOf(fileId, "ada"));
    set(...ids.map((fileId) => offerOf(fileId, "ada", "bob")));
    expect(idsOf("restate")).toEqual([]);
    await clock.pass(HOLDERS_EVERY_MS);
    const some = idsOf("restate") ?? [];
    expect(some).toHaveLength(MAX_RESTATED);
    for (const fileId of some) index(offerOf(fileId, "ada", "bob"));
    expect(idsOf("restate")).toBeUndefined();
    await clock.pass(HOLDERS_EVERY_MS);
    expect(idsOf("restate")).toEqual(ids.slice(MAX_RESTATED));
  });
});
