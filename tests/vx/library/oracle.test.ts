/** Random histories of an index, with restarts and restores among them, against the oracle. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Config } from "../../../src/vx/config.ts";
import type { SearchResult } from "../../../src/vx/results.ts";
import { Vx } from "../../../src/vx/vx.ts";
import { inlineHost, MemoryDisk } from "./memory-disk.ts";
import { type Distance, type Expected, type Known, OracleIndex } from "./oracle-index.ts";

const DIMENSION = 4;
const TOLERANCE = 1e-4;

/** A PCA that leaves out nothing only turns vectors: every distance stays. */
const FIT_AFTER = 2 * DIMENSION;
const turning = {
  enableDimReduction: true,
  dimReductionTarget: DIMENSION,
  fitAfter: FIT_AFTER,
} satisfies Config;

const id = fc.integer({ min: 0, max: 40 });
const vector = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: DIMENSION, maxLength: DIMENSION });
const metadata = fc.record(
  {
    colour: fc.constantFrom("red", "blue", "green"),
    size: fc.integer({ min: 0, max: 5 }),
    tags: fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 3 }),
  },
  { requiredKeys: [] },
);
const record = fc.record({ id, vector, metadata });
const k = fc.integer({ min: 1, max: 50 });
const page = fc.option(fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 15 })));

const filters: [sql: string, passes: (known: Known, id: number) => boolean][] = [
  ["colour = 'red'", ({ metadata }) => metadata.colour === "red"],
  ["size > 2 AND id < 20", ({ metadata }, id) => Number(metadata.size ?? -1) > 2 && id < 20],
  ["colour IS NULL OR size = 0", ({ metadata }) => metadata.colour === undefined || metadata.size === 0],
  ["json_array_contains(tags, 'a')", ({ metadata }) => hasTag(metadata, "a")],
  ["NOT (size >= 3)", ({ metadata }) => metadata.size !== undefined && Number(metadata.size) < 3],
  ["unheard_of = 1", () => false],
];

const facets: [facets: Record<string, string>, passes: (known: Known) => boolean][] = [
  [{ colour: "blue" }, ({ metadata }) => metadata.colour === "blue"],
  [{ tags: "b", size: "1" }, ({ metadata }) => hasTag(metadata, "b") && metadata.size === 1],
];

function hasTag({ tags }: Known["metadata"], tag: string): boolean {
  return Array.isArray(tags) && tags.includes(tag);
}

const operation = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("add" as const), record }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("batch" as const),
      records: fc.array(record, { maxLength: 25 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("delete" as const), id }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("search" as const), vector, k, page }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("filter" as const),
      vector,
      k,
      page,
      filter: fc.constantFrom(...filters),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("facets" as const),
      vector,
      k,
      facet: fc.constantFrom(...facets),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("negatives" as const),
      vector,
      negatives: fc.array(vector, { maxLength: 3 }),
      k,
      page,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("get" as const), id }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      { kind: "save" as const },
      { kind: "restart" as const },
      { kind: "refit" as const },
    ),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom("backup" as const, "restore" as const),
      incremental: fc.boolean(),
    }),
  },
);
type Step = typeof operation extends fc.Arbitrary<infer T> ? T : never;

let histories = 0;

/** An index beside its oracle. */
class Pair {
  readonly #config: Config;
  readonly #distance: Distance;
  readonly #host = inlineHost(new MemoryDisk());
  readonly #path = `disk/${histories++}`;
  #oracle: OracleIndex;
  #vx: Vx;
  #backup: { path: string; oracle: OracleIndex } | undefined;
  #backups = 0;

  constructor(distance: Distance, config: Config) {
    this.#config = config;
    this.#distance = distance;
    this.#oracle = new OracleIndex(distance);
    this.#vx = this.#open();
  }

  async run(step: Step): Promise<void> {
    const vx = this.#vx;
    const oracle = this.#oracle;
    switch (step.kind) {
      case "add":
        await vx.add(step.record.id, step.record.vector, step.record.metadata);
        oracle.records.set(step.record.id, step.record);
        break;
      case "batch": {
        const { records } = step;
        await vx.batchAdd(
          records.map(({ id }) => id),
          records.map(({ vector }) => vector),
          records.map(({ metadata }) => metadata),
        );
        for (const record of records) oracle.records.set(record.id, record);
        break;
      }
      case "delete":
        expect(await vx.delete(step.id)).toBe(oracle.records.delete(step.id));
        break;
      case "search":
        this.#compare(
          await vx.search(step.vector, step.k, ...(step.page ?? [])),
          oracle.search(step.vector),
          step,
        );
        break;
      case "filter": {
        const [sql, passes] = step.filter;
        const found = await vx.searchWithFilter(step.vector, step.k, sql, ...(step.page ?? []));
        this.#compare(found, oracle.search(step.vector, passes), step);
        break;
      }
      case "facets": {
        const [wanted, passes] = step.facet;
        const found = await vx.facetedSearch(step.vector, step.k, wanted);
        this.#compare(found, oracle.search(step.vector, passes), step);
        break;
      }
      case "negatives": {
        const found = await vx.searchWithNegatives(step.vector, step.negatives, step.k, ...(step.page ?? []));
        this.#compare(found, oracle.searchWithNegatives(step.vector, step.negatives), step);
        break;
      }
      case "get": {
        const known = oracle.records.get(step.id);
        const found = await vx.get(step.id);
        expect(found && [...found.vector]).toEqual(known?.vector);
        expect(found?.metadata).toEqual(known?.metadata);
        break;
      }
      case "save":
        await vx.save();
        break;
      case "refit":
        if (this.#config.enableDimReduction === true && oracle.records.size >= FIT_AFTER) await vx.refit();
        break;
      case "restart":
        await vx.close();
        this.#vx = this.#open();
        break;
      case "backup": {
        const path = `${this.#path}/backups/${this.#backups++}.zip`;
        await vx.backup(path, step.incremental);
        this.#backup = { path, oracle: oracle.copy() };
        break;
      }
      case "restore":
        if (this.#backup === undefined) break;
        await vx.restore(this.#backup.path);
        this.#oracle = this.#backup.oracle.copy();
        break;
    }
  }

  async end(): Promise<void> {
    const { total } = await this.#vx.list(0, 1);
    expect(total).toBe(this.#oracle.records.size);
    const [row] = await this.#vx.queryMetadata("SELECT count(*) AS n, sum(id) AS ids FROM metadata");
    const ids = [...this.#oracle.records.keys()];
    expect(row).toEqual({
      n: ids.length,
      ids: ids.length === 0 ? null : ids.reduce((sum, id) => sum + id, 0),
    });
    await this.#vx.close();
  }

  /** Equal distances may come in any order. */
  #compare(
    found: (SearchResult & { score?: number })[],
    ranking: Expected[],
    { k, page }: { k: number; page?: [number, number] | null },
  ): void {
    const [number, size] = page ?? [1, k];
    const expected = ranking.slice(0, k).slice((number - 1) * size, number * size);
    expect(found.length).toBe(expected.length);
    for (const [i, { id, distance, metadata, score }] of found.entries()) {
      const truth = ranking.find((one) => one.id === id) as Expected;
      expect(Math.abs(distance - truth.distance)).toBeLessThan(TOLERANCE);
      expect(Math.abs(truth.key - (expected[i] as Expected).key)).toBeLessThan(TOLERANCE);
      if (score !== undefined) expect(Math.abs(-score - truth.key)).toBeLessThan(TOLERANCE);
      expect(metadata).toEqual(this.#oracle.records.get(Number(id))?.metadata);
    }
    expect(new Set(found.map(({ id }) => id)).size).toBe(found.length);
  }

  #open(): Vx {
    const own = { dimension: DIMENSION, distance: this.#distance, storagePath: this.#path };
    return new Vx({ ...this.#config, ...own }, this.#host);
  }
}

describe("Vx against an oracle", () => {
  it.each<{ kind: string; distance: Distance; config: Config }>([
    { kind: "cosine", distance: "cosine", config: {} },
    { kind: "l2", distance: "l2", config: {} },
    { kind: "l2 turned by a PCA, at whatever moments", distance: "l2", config: turning },
  ])("agrees with it through any history, under $kind", async ({ distance, config }) => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 40 }), async (steps) => {
        const pair = new Pair(distance, config);
        for (const step of steps) await pair.run(step);
        await pair.end();
      }),
      { numRuns: 35 },
    );
  });
});
