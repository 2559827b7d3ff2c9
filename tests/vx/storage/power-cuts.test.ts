/**
 * Any history of an index whose process ends at any call to its disk, with the power or without: nothing acknowledged
 * is lost.
 */
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { openArchive } from "../../../src/vx/storage/archives.ts";
import type { IndexStore } from "../../../src/vx/storage/index-store.ts";
import { MemoryFolder, MemoryMedium } from "../../../src/vx/storage/memory-index-storage.ts";
import { openIndexStore } from "../../../src/vx/storage/open-index-store.ts";
import type { Operation } from "../../../src/vx/storage/operations.ts";
import { adds, facts, loaded, placeIn, SmallIndex, snapshot, write } from "./small-index.ts";
import { type PowerCut, UnsyncedDisk } from "./unsynced-disk.ts";

type Content = ReturnType<SmallIndex["content"]>;

type Step = Operation[][] | "snapshot" | "backup" | "replace";

interface Life {
  steps: Step[];
  /** Calls to the disk until the process ends. */
  calls: number;
  cut: PowerCut | undefined;
}

const batch = fc.oneof(
  fc.tuple(fc.nat(12), fc.integer({ min: 1, max: 5 })).map(([first, count]) => adds(first, count)),
  fc.nat(12).map((id): Operation[] => [{ kind: "delete", id: BigInt(id) }]),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.array(batch, { minLength: 1, maxLength: 4 }) },
  { weight: 1, arbitrary: fc.constant("snapshot" as const) },
  { weight: 1, arbitrary: fc.constant("backup" as const) },
  { weight: 1, arbitrary: fc.constant("replace" as const) },
);
const share = fc.double({ min: 0, max: 1, noNaN: true });
const cut = fc.record({ names: share, bytes: share, zeros: share, deletions: share });
const life: fc.Arbitrary<Life> = fc.record({
  steps: fc.array(step, { maxLength: 8 }),
  calls: fc.nat(60),
  cut: fc.option(cut, { nil: undefined }),
});

/** An index beside what it was told. */
class Witness {
  readonly #disk = new UnsyncedDisk();
  readonly #backups = new MemoryFolder(new MemoryMedium());
  /** What the index was last replaced by, and what it is being replaced by: it may be that already. */
  #base: Operation[] = [];
  #replacement: Operation[] | undefined;
  #replacements = 0;
  /** Batches since then in the order of their calls, and how many of them are to be there. */
  #batches: Operation[][] = [];
  #acknowledged = 0;
  #backupsMade = 0;

  async live({ steps, calls, cut }: Life): Promise<void> {
    this.#disk.callsLeft = calls;
    try {
      await this.#run(steps);
    } catch (error) {
      if (!this.#disk.isProcessOver) throw error;
    }
    if (cut !== undefined) this.#disk.cutPower(cut);
  }

  /** Opens the index, and makes sure that it is what it was told, up to some batch. */
  async open(): Promise<{ store: IndexStore; index: SmallIndex }> {
    const store = await openIndexStore(this.#disk.open(), { create: facts });
    const index = await loaded(store);
    if (this.#replacement !== undefined && isDeepStrictEqual(index.content(), contentOf(this.#replacement)))
      this.#replaced(this.#replacement);
    this.#replacement = undefined;
    const count = this.#batchesUpTo(store.lastSequence);
    expect(count).toBeGreaterThanOrEqual(this.#acknowledged);
    this.#batches = this.#batches.slice(0, count);
    expect(index.content()).toEqual(this.#expected());
    this.#acknowledged = count;
    return { store, index };
  }

  async #run(steps: Step[]): Promise<void> {
    let { store, index } = await this.open();
    for (const step of steps) {
      if (step === "replace") index = await this.#replace(store);
      else if (step === "snapshot") await snapshot(store, index);
      else if (step === "backup") await this.#backup(store);
      else await Promise.all(step.map((operations) => this.#write(store, index, operations)));
    }
    await store.close();
  }

  async #write(store: IndexStore, index: SmallIndex, operations: Operation[]): Promise<void> {
    const count = this.#batches.push(operations);
    await write(store, index, operations);
    this.#acknowledged = Math.max(this.#acknowledged, count);
  }

  /** As a restore does. */
  async #replace(store: IndexStore): Promise<SmallIndex> {
    // No other batch has these ids.
    const operations = adds(++this.#replacements * 1000, 3);
    const index = new SmallIndex(facts);
    index.operations(operations);
    this.#replacement = operations;
    await store.replace(facts, () => index.source());
    this.#replaced(operations);
    return index;
  }

  #replaced(operations: Operation[]): void {
    this.#base = operations;
    this.#replacement = undefined;
    this.#batches = [];
    this.#acknowledged = 0;
  }

  async #backup(store: IndexStore): Promise<void> {
    const place = placeIn(this.#backups, `${this.#backupsMade++}.zip`);
    await store.backup(place, { incremental: true, compress: false });
    const archive = await openArchive(place, undefined);
    expect((await loaded(archive)).content()).toEqual(this.#expected());
    await archive.close();
  }

  #expected(): Content {
    return contentOf([...this.#base, ...this.#batches.flat()]);
  }

  /** How many batches the operations up to that one are, whole. */
  #batchesUpTo(sequence: number): number {
    let count = 0;
    let last = 0;
    while (last < sequence) last += this.#batches[count++]?.length ?? Number.NaN;
    expect(last, "batches are whole").toBe(sequence);
    return count;
  }
}

function contentOf(operations: Operation[]): Content {
  const content: Content = new Map();
  for (const operation of operations) {
    if (operation.kind === "delete") content.delete(operation.id);
    else content.set(operation.id, { vector: [...operation.vector], metadata: operation.metadata });
  }
  return content;
}

test("what was acknowledged is there, and of all else batches are whole or not there", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(life, { minLength: 1, maxLength: 8 }), async (lives) => {
      const witness = new Witness();
      for (const life of lives) await witness.live(life);
      await witness.live({ steps: ["backup"], calls: Number.POSITIVE_INFINITY, cut: undefined });
    }),
    { numRuns: 60 },
  );
});

test("what a process left at any call, and the next one went on from, outlives the power", async () => {
  const cut = { names: 0, bytes: 0, zeros: 0, deletions: 0 };
  for (let calls = 0; calls < 20; calls++) {
    const witness = new Witness();
    await witness.live({ steps: [[adds(0, 2)]], calls, cut: undefined });
    await witness.live({ steps: [[adds(2, 2)]], calls: Number.POSITIVE_INFINITY, cut });
    await witness.live({ steps: [], calls: Number.POSITIVE_INFINITY, cut: undefined });
  }
});
