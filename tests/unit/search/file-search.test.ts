/** Search over a fake node: what is found, in which order and why, and how the index follows the node. */
import * as Comlink from "comlink";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { EmbeddingError } from "../../../src/search/embedding/errors.ts";
import type { FileSearch } from "../../../src/search/file-search.ts";
import {
  GONE_AFTER_MS,
  LOOK_ANEW_MS,
  OFFERS_SETTLE_MS,
  REOPEN_FIRST_MS,
  TEXTS_A_BATCH,
} from "../../../src/search/limits.ts";
import { modelId } from "../../../src/search/model/build/model-card.ts";
import { MAX_TEXT_CHARS } from "../../../src/search/texts/limits.ts";
import { SharingError } from "../../../src/sharing/errors.ts";
import { systemClock } from "../../../src/sharing/system-clock.ts";
import { VxError } from "../../../src/vx/errors.ts";
import type { Vx } from "../../../src/vx/vx.ts";
import { deferred } from "../../deferred.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { HandClock } from "../hand-clock.ts";
import { docx } from "./documents.ts";
import { type Harness, openHarness } from "./harness.ts";
import { textThread, WordEmbedder } from "./word-model.ts";

class FailingEmbedder extends WordEmbedder {
  readonly #error: Error;

  constructor(error: Error) {
    super();
    this.#error = error;
  }

  override async embed(_texts: readonly string[], signal?: AbortSignal): Promise<Float32Array> {
    signal?.throwIfAborted();
    throw this.#error;
  }
}

const { signal } = new AbortController();
const BREAD = "Feed the starter daily. A sourdough loaf rises over night.";
const CARS = "The sedan has a petrol engine and four doors.";

/** The model waits with such texts, from the first of which on `begun` is settled, until `goOn` is. */
function holdBack(embedder: WordEmbedder, isHeld = (_text: string) => true) {
  const embed = embedder.embed.bind(embedder);
  const begun = deferred();
  const goOn = deferred();
  embedder.embed = async (texts, stop) => {
    if (texts.some(isHeld)) {
      begun.resolve();
      await goOn.promise;
    }
    return await embed(texts, stop);
  };
  return { begun, goOn };
}

describe("search by meaning that fails", () => {
  it.each([
    [new EmbeddingError("bad_model", "The ONNX model gives no numbers"), "The ONNX model gives no numbers"],
    [
      new Error("EACCES: permission denied, mkdir '/home/who/shoal'"),
      "The node may not use a file that it needs. Give its user the rights; its log has the path.",
    ],
    [new Error("There is no /home/who/shoal"), "an internal error"],
    [new VxError("internal", "Cannot lock /home/who/shoal: no such device"), "an internal error"],
  ])(
    "says why in words for those who ask, without the folders of its machine: %s",
    async (error, problem) => {
      const harness = await openHarness(await temporaryFolder(), { embedder: new FailingEmbedder(error) });
      try {
        await harness.share("bread.txt", BREAD);
        await expect.poll(() => harness.search.status()).toMatchObject({ state: "failed", problem });
      } finally {
        await harness.close();
      }
    },
  );
});

it("tries a model again that could not be used, which may have been half written", async () => {
  const embedder = new WordEmbedder();
  const failures = [new EmbeddingError("bad_model", "model.onnx is cut short")];
  const embed = embedder.embed.bind(embedder);
  embedder.embed = async (texts, stop) => {
    const failure = texts.some((text) => text.includes(BREAD)) ? failures.pop() : undefined;
    if (failure !== undefined) throw failure;
    return await embed(texts, stop);
  };
  const harness = await openHarness(await temporaryFolder(), {
    embedder,
    clock: { ...systemClock, sleep: (ms, stop) => systemClock.sleep(ms === REOPEN_FIRST_MS ? 0 : ms, stop) },
  });
  try {
    await harness.share("sourdough.txt", BREAD);
    await expect.poll(() => harness.find("baking")).toEqual(["sourdough.txt"]);
    expect(failures).toEqual([]);
  } finally {
    await harness.close();
  }
});

it("asks the model that comes with Shoal for no query that it can't read", async () => {
  const embedder = new WordEmbedder(modelId);
  const harness = await openHarness(await temporaryFolder(), { embedder });
  try {
    await harness.share("여름휴가.txt", "x");
    await harness.share("여행.txt", "y");
    await harness.indexed(2);
    expect(await harness.find("휴가")).toEqual(["여름휴가.txt"]);
    expect(embedder.texts).not.toContain("휴가");
  } finally {
    await harness.close();
  }
});

it("finds files by name while the index is lost, and opens it anew though no file changes", async () => {
  const opened: Vx[] = [];
  const harness = await openHarness(await temporaryFolder(), {
    onOpened: (vx) => void opened.push(vx),
    // Its pause before that is no matter here.
    clock: { ...systemClock, sleep: (ms, stop) => systemClock.sleep(ms === REOPEN_FIRST_MS ? 0 : ms, stop) },
  });
  try {
    await harness.share("sourdough.txt", BREAD);
    await harness.share("cars.txt", CARS);
    await harness.indexed(2);
    const lost = new VxError("unavailable", "The index's thread was lost");
    for (const call of ["search", "get", "searchWithFilter", "queryMetadata"] as const)
      vi.spyOn(opened[0] as Vx, call).mockRejectedValue(lost);
    expect(await harness.find("sourdough")).toEqual(["sourdough.txt"]);
    await expect.poll(() => harness.find("baking")).toEqual(["sourdough.txt"]);
    expect(opened).toHaveLength(2);
    vi.spyOn(opened[1] as Vx, "get").mockRejectedValue(lost);
    await expect(harness.search.map("all")).rejects.toMatchObject({ name: "wrong_state" });
    await expect.poll(() => opened.length).toBe(3);
  } finally {
    await harness.close();
  }
});

describe("search by meaning", () => {
  let harness: Harness;

  beforeEach(async () => {
    harness = await openHarness(await temporaryFolder());
  });

  afterEach(() => harness.close());

  it("finds a file by what it holds, though no word of the query is in it", async () => {
    await harness.share("notes.txt", BREAD);
    await harness.share("text.docx", docx("Report", CARS));
    await harness.indexed(2);
    const answer = await harness.search.search({ text: "vehicle", scope: "local" }, signal);
    expect(answer.rankedBy).toBe("meaning");
    expect(answer.hits[0]).toMatchObject({ file: { name: "text.docx" }, why: ["content"] });
    expect(answer.hits[0]?.excerpt).toContain("sedan");
    expect(await harness.find("baking")).toEqual(["notes.txt"]);
  });

  it("puts a file whose name is the query first, with or without its extension", async () => {
    for (let i = 0; i < 5; i++) await harness.share(`vehicle ${i}.txt`, `vehicle car sedan ${i}`);
    await harness.share("Vehicle.txt", "nothing of the kind");
    await harness.indexed(6);
    expect((await harness.find("vehicle"))[0]).toBe("Vehicle.txt");
    expect((await harness.find("VEHICLE.TXT"))[0]).toBe("Vehicle.txt");
  });

  it("finds a file by a word far behind its beginning, after a restart too, until it is gone", async () => {
    const filler = "The weather was fine and nothing happened. ".repeat(120);
    const diary = await harness.share("diary.txt", `${filler} In the evening Kowalczyk came by boat.`);
    await harness.share("other.txt", filler);
    await harness.indexed(2);
    expect((await harness.find("kowalczyk"))[0]).toBe("diary.txt");
    const { hits } = await harness.search.search({ text: "Kowalczyk's boat", scope: "local" }, signal);
    expect(hits[0]).toMatchObject({ file: { name: "diary.txt" }, why: ["content"] });
    expect((await harness.find("Kowalczyk in my diary"))[0]).toBe("diary.txt");
    const named = await harness.search.search({ text: "diary", scope: "local" }, signal);
    expect(named.hits[0]?.why).toEqual(["name"]);
    await harness.restart();
    await harness.indexed(2);
    expect((await harness.find("kowalczyk"))[0]).toBe("diary.txt");
    await harness.fake.node.deleteFile(diary);
    expect(await harness.find("kowalczyk")).not.toContain("diary.txt");
  });

  it("finds what others offer by the excerpt that they tell, and not among local files", async () => {
    await harness.offer("a.bin", BREAD);
    await harness.offer("b.bin", CARS);
    await harness.indexed(2);
    expect(await harness.find("baking", { scope: "network" })).toEqual(["a.bin"]);
    expect(await harness.find("baking")).toEqual([]);
  });

  it("narrows all that are found by a filter, however many others are found better", async () => {
    for (let i = 0; i < 600; i++) await harness.share(`holiday ${i}.txt`, `${i}`);
    const rest = Array.from(
      { length: 60 },
      (_, i) => `${String.fromCharCode(97 + (i % 26)).repeat(1 + i / 26)}q`,
    );
    await harness.share("a very long name about some holiday.txt", rest.join(" "));
    await harness.indexed(601);
    expect(await harness.find("holiday", { filter: "size > 100" })).toEqual([
      "a very long name about some holiday.txt",
    ]);
  });

  it("narrows hits by name and by content with SQL over the files", async () => {
    await harness.share("bread.txt", BREAD);
    await harness.share("bread.md", `${BREAD} ${BREAD}`);
    await harness.indexed(2);
    expect(await harness.find("bread", { filter: "type = 'text/markdown'" })).toEqual(["bread.md"]);
    expect(await harness.find("bread", { filter: "size < 100 AND kind = 'text'" })).toEqual(["bread.txt"]);
    expect(await harness.search.matching("holders = 0", "local")).toHaveProperty("size", 2);
    expect(await harness.find("bread", { filter: " where size < 100" })).toEqual(["bread.txt"]);
    expect((await harness.search.matching("WHERE(size) < 100", "local")).size).toBe(1);
    for (const filter of ["size <", "WHERE", "1) OR (1", "1; DELETE FROM metadata", "1 --"]) {
      await expect(harness.find("bread", { filter })).rejects.toMatchObject({ code: "invalid_query" });
    }
  });

  it("refuses a filter that names no field of files, as a text in double quotes does", async () => {
    await harness.share("bread.txt", BREAD);
    await harness.indexed(1);
    expect(await harness.find("bread", { filter: `"kind" = 'text' AND metadata.size < 100` })).toEqual([
      "bread.txt",
    ]);
    for (const filter of ['kind = "text"', "kind = text", "Size < 100", "metadata.passage = 0", "id > 0"]) {
      const refusal = {
        code: "invalid_query",
        message: expect.stringMatching(/no field .*name, .*single quotes/),
      };
      await expect(harness.find("bread", { filter }), filter).rejects.toMatchObject(refusal);
      await expect(harness.search.matching(filter, "local"), filter).rejects.toMatchObject(refusal);
    }
  });

  it("finds files like another one", async () => {
    const loaf = await harness.share("loaf.txt", BREAD);
    await harness.share("recipe.md", "Baking bread: sourdough and starter.");
    await harness.share("car.txt", CARS);
    await harness.indexed(3);
    const { hits } = await harness.search.similar(loaf, "all");
    expect(hits[0]).toMatchObject({ file: { name: "recipe.md" }, why: ["content"] });
    expect(hits.map(({ file }) => file.name)).not.toContain("loaf.txt");
    await expect(harness.search.similar("none", "all")).rejects.toMatchObject({ name: "file_not_found" });
  });

  it("draws files on a map, near where they are about the same, and again once one came", async () => {
    await harness.share("loaf.txt", BREAD);
    expect(await settled(1)).toEqual({ "loaf.txt": [0, 0] });
    for (const name of ["recipe.md", "starter.md"]) await harness.share(name, `${BREAD} ${name}`);
    for (const name of ["car.txt", "sedan.txt"]) await harness.share(name, `${CARS} ${name}`);
    await harness.offer("engine.bin", CARS);
    const places = await settled(6);
    const apart = (a: string, b: string) =>
      Math.hypot(...[0, 1].map((axis) => (places[a]?.[axis] ?? 0) - (places[b]?.[axis] ?? 0)));
    expect(apart("recipe.md", "starter.md")).toBeLessThan(apart("recipe.md", "car.txt"));
    expect(apart("sedan.txt", "engine.bin")).toBeLessThan(apart("sedan.txt", "loaf.txt"));
    expect(Object.keys(await settled(1, "network"))).toEqual(["engine.bin"]);
    expect(await harness.search.map("all")).toBe(await harness.search.map("all"));
  });

  /** Places by name, once the scope has as many files. */
  async function settled(count: number, scope: "all" | "network" = "all") {
    await expect.poll(async () => (await drawn(scope))?.total).toBe(count);
    const { points } = (await drawn(scope)) ?? { points: [] };
    return Object.fromEntries(points.map(({ file, x, y }) => [file.name, [x, y]]));
  }

  /** Undefined while the index is opened. */
  const drawn = (scope: "all" | "network") =>
    harness.search.map(scope).catch((error) => {
      if (error.name !== "wrong_state") throw error;
    });

  it("tells the swarm the beginning of a text, and again after a restart", async () => {
    const fileId = await harness.share("notes.txt", BREAD);
    await harness.indexed(1);
    expect(harness.told.get(fileId)).toBe(BREAD);
    harness.told.clear();
    await harness.restart();
    await harness.indexed(1);
    expect(harness.told.get(fileId)).toBe(BREAD);
  });

  it("tells nobody of the text of an unlisted file, nor of one that others offer", async () => {
    const unlisted = await harness.fake.node.share(new Blob([BREAD]).stream(), {
      name: "diary.txt",
      isUnlisted: true,
    });
    const offered = await harness.offer("a.bin", CARS);
    await harness.indexed(2);
    const listed = await harness.share("notes.txt", `${BREAD} Notes.`);
    await expect.poll(() => [...harness.told.keys()]).toEqual([listed]);
    expect(await harness.find("baking")).toContain("diary.txt");
    expect([...harness.told.keys()]).not.toContain(unlisted.file.id);
    expect([...harness.told.keys()]).not.toContain(offered);
  });

  it("tells the swarm of the text of an unlisted file once it is listed", async () => {
    const { node } = harness.fake;
    const { file } = await node.share(new Blob([BREAD]).stream(), { name: "diary.txt", isUnlisted: true });
    await harness.indexed(1);
    await node.setUnlisted(file.id, false);
    await expect.poll(() => harness.told.get(file.id)).toBe(BREAD);
  });

  it("tells nobody of the text of a file that was deleted here and that others offer", async () => {
    const fileId = await harness.share("a.txt", "a.txt");
    await harness.offer("a.txt", "");
    const offered = () => harness.find("a.txt", { scope: "network" });
    await expect.poll(offered).toEqual(["a.txt"]);
    await expect.poll(() => [...harness.told.keys()]).toEqual([fileId]);
    harness.told.clear();
    await harness.fake.node.deleteFile(fileId);
    const other = await harness.share("notes.txt", BREAD);
    await expect.poll(() => [...harness.told.keys()]).toEqual([other]);
    expect(await offered()).toEqual(["a.txt"]);
  });

  it("finds by name what its model has no token of", async () => {
    await harness.share("scan_0042.pdf", "x");
    await harness.share("♥.txt", BREAD);
    await harness.indexed(2);
    expect(await harness.find("42")).toEqual(["scan_0042.pdf"]);
    expect(await harness.find("♥")).toEqual(["♥.txt"]);
  });

  it("keeps to scope and filter what has the name that was asked for, or what was quoted", async () => {
    await harness.share("roof.txt", "We talked about the new roof.");
    await harness.share("roof.md", "The new roof leaks.");
    await harness.share("♥.txt", "♥");
    await harness.indexed(3);
    const filter = "type = 'text/markdown'";
    const quoted = '"new roof" whatever else anybody typed into this long query';
    for (const text of ["roof", "roof.txt", quoted]) {
      expect((await harness.find(text))[0], text).toMatch(/^roof/);
      expect(await harness.find(text, { scope: "network" }), text).toEqual([]);
      expect(await harness.find(text, { filter }), text).toEqual(["roof.md"]);
    }
    expect(await harness.find("♥", { filter: "kind = 'text'" })).toEqual(["♥.txt"]);
    expect(await harness.find("♥", { filter })).toEqual([]);
  });

  it("tells it again once the file was deleted and is shared anew, and shows it", async () => {
    const fileId = await harness.share("notes.txt", BREAD);
    await harness.indexed(1);
    await harness.fake.node.deleteFile(fileId);
    harness.told.delete(fileId);
    expect(await harness.find("notes")).toEqual([]);
    await harness.share("notes.txt", BREAD);
    await expect.poll(() => harness.told.get(fileId)).toBe(BREAD);
    const { hits } = await harness.search.search({ text: "notes", scope: "local" }, signal);
    expect(hits).toMatchObject([{ excerpt: BREAD }]);
    harness.told.delete(fileId);
    await harness.fake.node.deleteFile(fileId);
    await harness.share("notes.txt", BREAD);
    await expect.poll(() => harness.told.get(fileId)).toBe(BREAD);
  });

  it("tells nobody of a file that was deleted while it was read", async () => {
    const { begun, goOn } = holdBack(harness.embedder);
    const fileId = await harness.share("notes.txt", BREAD);
    await begun.promise;
    await harness.fake.node.deleteFile(fileId);
    goOn.resolve();
    const other = await harness.share("car.txt", CARS);
    await expect.poll(() => harness.told.get(other)).toBe(CARS);
    expect(harness.told.has(fileId)).toBe(false);
    await harness.share("notes.txt", BREAD);
    await expect.poll(() => harness.told.get(fileId)).toBe(BREAD);
  });

  it("forgets a deleted file at once and takes a new name in", async () => {
    const bread = await harness.share("bread.txt", BREAD);
    await harness.share("car.txt", CARS);
    await harness.indexed(2);
    await harness.fake.node.deleteFile(bread);
    expect(await harness.find("baking")).toEqual([]);
    await harness.share("automobile.txt", CARS);
    expect(await harness.find("automobile")).toEqual(["automobile.txt"]);
    expect(await harness.find("car.txt")).not.toContain("car.txt");
  });

  it("goes on after a restart where it stopped, and makes all anew for another model", async () => {
    await harness.share("bread.txt", BREAD);
    await harness.indexed(1);
    await harness.restart({ embedder: new WordEmbedder() });
    await harness.share("car.txt", CARS);
    await harness.indexed(2);
    expect(harness.embedder.texts.filter((text) => text.includes(BREAD))).toEqual([]);
    expect(await harness.find("baking")).toEqual(["bread.txt"]);
    await harness.restart({ embedder: new WordEmbedder("other words") });
    await harness.indexed(2);
    expect(harness.embedder.texts.filter((text) => text.includes(BREAD))).toHaveLength(1);
  });

  it("counts as waiting what came while it read, too", async () => {
    const { begun, goOn } = holdBack(harness.embedder);
    await harness.share("first.txt", BREAD);
    await begun.promise;
    await harness.share("second.txt", CARS);
    await harness.share("third.txt", "Something else.");
    expect(harness.search.status()).toMatchObject({ indexed: 0, pending: 3 });
    goOn.resolve();
    await harness.indexed(3);
  });

  it("finds files by name, by filters too, while the model of an index can't be had", async () => {
    const loaf = await harness.share("loaf.txt", BREAD);
    await harness.share("loaf of bread.md", CARS);
    await harness.share("♥.md", "By the old car park.");
    await harness.indexed(3);
    await harness.restart({ embedder: new FailingEmbedder(new EmbeddingError("unavailable", "no memory")) });
    await harness.indexed(3);
    const answer = await harness.search.search({ text: "loaf", scope: "local" }, signal);
    expect(answer.rankedBy).toBe("name");
    expect(answer.hits.map(({ file }) => file.name)).toEqual(["loaf.txt", "loaf of bread.md"]);
    const filter = "type = 'text/markdown'";
    expect(await harness.find("loaf", { filter })).toEqual(["loaf of bread.md"]);
    for (const text of ["♥", '"old car park" and whatever else anybody typed into this long query'])
      expect(await harness.find(text, { filter }), text).toEqual(["♥.md"]);
    const { hits, rankedBy } = await harness.search.similar(loaf, "all");
    expect(rankedBy).toBe("name");
    expect(hits.map(({ file }) => file.name)).toEqual(["loaf of bread.md"]);
    const stopped = AbortSignal.abort(new Error("typed on"));
    await expect(harness.search.search({ text: "loaf", scope: "local" }, stopped)).rejects.toThrow(
      "typed on",
    );
  });

  it("keeps the vectors of an offer that is gone, and finds it no more", async () => {
    const fileId = await harness.offer("a.bin", BREAD);
    await harness.indexed(1);
    harness.retract(fileId);
    await expect.poll(() => harness.find("baking", { scope: "network" })).toEqual([]);
    expect(harness.search.status().indexed).toBe(1);
  });

  it("reads a text in place of the excerpt once the file is here", async () => {
    const { fileId, release } = await harness.fake.offer("offered.txt", new TextEncoder().encode(BREAD));
    await harness.offer("b.bin", CARS);
    await harness.indexed(2);
    expect(await harness.find("baking", { scope: "network" })).toEqual([]);
    await harness.fake.node.download({ fileId });
    release();
    await expect.poll(() => harness.find("baking")).toEqual(["offered.txt"]);
  });
});

it("tells nobody of any text where that is switched off", async () => {
  const harness = await openHarness(await temporaryFolder(), { tellsExcerpts: false });
  await harness.share("notes.txt", BREAD);
  await harness.indexed(1);
  expect(await harness.find("baking")).toEqual(["notes.txt"]);
  expect(harness.told.size).toBe(0);
  await harness.close();
});

it("drops the vectors of an offer that is gone for long, and rests then", async () => {
  const clock = new HandClock();
  const harness = await openHarness(await temporaryFolder(), { clock });
  const fileId = await harness.offer("a.bin", BREAD);
  await clock.pass(OFFERS_SETTLE_MS);
  await harness.indexed(1);
  harness.retract(fileId);
  await clock.pass(OFFERS_SETTLE_MS);
  await clock.pass(GONE_AFTER_MS - 1);
  expect(harness.search.status().indexed).toBe(1);
  await clock.pass(1);
  await harness.indexed(0);
  await clock.pass(0);
  expect(clock.sleeperCount).toBe(1);
  await harness.close();
});

it("finds by meaning again once the model that failed at the first query answers", async () => {
  const embedder = new WordEmbedder();
  const harness = await openHarness(await temporaryFolder(), { embedder });
  await harness.share("sourdough.txt", BREAD);
  await harness.indexed(1);
  const embed = embedder.embed.bind(embedder);
  embedder.embed = async (texts, stop) => {
    if (texts.length > 1) throw new EmbeddingError("unavailable", "no memory");
    return await embed(texts, stop);
  };
  expect(await harness.find("baking")).toEqual([]);
  embedder.embed = embed;
  expect(await harness.find("baking")).toEqual(["sourdough.txt"]);
  await harness.close();
});

it("reads a file that is shared before most of many that others offered earlier", async () => {
  let aheadMs = 0;
  const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + aheadMs };
  const harness = await openHarness(await temporaryFolder(), { clock });
  const { begun, goOn } = holdBack(harness.embedder, (text) => text.includes("offered"));
  for (let i = 0; i < 3 * TEXTS_A_BATCH; i++) await harness.offer(`offered ${i}.bin`, `${CARS} ${i}`);
  await begun.promise;
  await harness.share("notes.txt", BREAD);
  aheadMs = LOOK_ANEW_MS;
  goOn.resolve();
  await harness.indexed(3 * TEXTS_A_BATCH + 1);
  const of = (part: string) => harness.embedder.texts.findIndex((text) => text.includes(part));
  expect(of(BREAD)).toBeGreaterThan(of("offered 0"));
  expect(of(BREAD)).toBeLessThan(of(`offered ${3 * TEXTS_A_BATCH - 1}`));
  await harness.close();
});

describe("search of hostile files", () => {
  it("goes on after a document that its reader never comes back from", async () => {
    const harness = await openHarness(await temporaryFolder(), {
      startTextThread: () => {
        // As a thread does that runs out of memory.
        const read = () => thread.end();
        const thread = textThread((port) => Comlink.expose({ load: async () => undefined, read }, port));
        return thread;
      },
    });
    await harness.share("bomb.docx", docx("Bomb", BREAD));
    await harness.indexed(1);
    expect(await harness.find("bomb")).toEqual(["bomb.docx"]);
    expect(await harness.find("baking")).toEqual([]);
    await harness.restart({ startTextThread: textThread });
    await harness.indexed(1);
    expect(await harness.find("baking")).toEqual([]);
    await harness.close();
  });

  it("reads at the next start a document that nothing could be loaded to read", async () => {
    const harness = await openHarness(await temporaryFolder(), {
      startTextThread: () => {
        const thread = textThread(() => undefined);
        void thread.end();
        return thread;
      },
    });
    await harness.share("notes.docx", docx("Loaf", BREAD));
    await harness.indexed(1);
    expect(await harness.find("notes.docx")).toEqual(["notes.docx"]);
    expect(await harness.find("baking")).toEqual([]);
    await harness.restart({ startTextThread: textThread });
    await expect.poll(() => harness.find("baking")).toEqual(["notes.docx"]);
    await harness.close();
  });

  it("goes on after a file whose bytes can't be had, and tries again at the next start", async () => {
    const harness = await openHarness(await temporaryFolder());
    const { read } = harness.fake.node;
    harness.fake.node.read = async function* () {
      yield new Uint8Array(0);
      throw new Error("the disk fails");
    };
    await harness.share("lost.txt", BREAD);
    await harness.share("lost too.txt", CARS);
    await harness.indexed(2);
    expect(await harness.find("lost")).toHaveLength(2);
    expect(await harness.find("baking")).toEqual([]);
    harness.fake.node.read = read;
    await harness.restart();
    await expect.poll(() => harness.find("baking")).toEqual(["lost.txt"]);
    await harness.close();
  });

  it("reads a file that went while it was read, once it is shared anew", async () => {
    const harness = await openHarness(await temporaryFolder());
    const { read } = harness.fake.node;
    harness.fake.node.read = async function* () {
      yield new Uint8Array(0);
      throw new SharingError("file_not_found", "File not found");
    };
    const fileId = await harness.share("gone.txt", BREAD);
    await harness.indexed(1);
    harness.fake.node.read = read;
    await harness.fake.node.deleteFile(fileId);
    await harness.share("gone.txt", BREAD);
    await expect.poll(() => harness.find("baking")).toEqual(["gone.txt"]);
    await harness.close();
  });

  it("embeds no more of a long document than its first pages", async () => {
    const harness = await openHarness(await temporaryFolder());
    await harness.share("long.txt", "word ".repeat(100_000));
    await harness.indexed(1);
    expect(harness.embedder.texts.join("").length).toBeLessThan(MAX_TEXT_CHARS);
    await harness.close();
  });
});

describe("search without a model", () => {
  let harness: Harness;
  let search: FileSearch;

  beforeEach(async () => {
    harness = await openHarness(await temporaryFolder(), { embedder: undefined });
    search = harness.search;
  });

  afterEach(() => harness.close());

  it("finds files by name at once, and says that it does no more", async () => {
    await harness.share("Holiday_Beach-2024.jpg", "x");
    const answer = await search.search({ text: "beach hol", scope: "local" }, signal);
    expect(answer).toMatchObject({ rankedBy: "name", hits: [{ why: ["name"], excerpt: "" }] });
    expect(search.status()).toMatchObject({ state: "off", indexed: 0, pending: 0 });
  });

  it("finds others of a similar name", async () => {
    const fileId = await harness.share("holiday beach 1.jpg", "1");
    await harness.share("holiday beach 2.jpg", "2");
    await harness.share("invoice.pdf", "3");
    const { hits, rankedBy } = await search.similar(fileId, "local");
    expect(rankedBy).toBe("name");
    expect(hits.map(({ file }) => file.name)).toEqual(["holiday beach 2.jpg"]);
  });

  it("says that filters and maps need the index", async () => {
    await expect(search.map("all")).rejects.toMatchObject({ name: "wrong_state" });
    await expect(
      search.search({ text: "x", scope: "local", filter: "size > 1" }, signal),
    ).rejects.toMatchObject({
      name: "wrong_state",
    });
  });
});
