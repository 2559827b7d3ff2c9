/** Vectors with few directions of much variance, and an index that reduces them, with its oracle in the reduced space. */
import { expect } from "vitest";
import type { Config } from "../../../src/vx/config.ts";
import type { SearchResult } from "../../../src/vx/results.ts";
import { type OpenOptions, Vx, type VxHost } from "../../../src/vx/vx.ts";
import { type Distance, OracleIndex } from "./oracle-index.ts";

export const DIMENSION = 8;
export const TARGET = 3;
/** Vectors that the model waits for. */
export const FIT_AFTER = 40;

/** A busy machine's. */
const WAIT = { timeout: 30_000 };

export const reducing = {
  dimension: DIMENSION,
  distance: "l2",
  enableDimReduction: true,
  dimReductionTarget: TARGET,
  fitAfter: FIT_AFTER,
} satisfies Config;

/** Three numbers that vary much, the rest made of them, and a little of its own. */
export function vectorOf(id: number): number[] {
  const wave = (factor: number) => 10 * Math.sin(id * factor * 1.7 + factor);
  const [a, b, c] = [wave(1), wave(2), wave(3)];
  const mixed = [a, b, c, a + b, b - c, a - c, a + b + c, 0];
  return mixed.map((number, at) => Math.fround(number + 0.1 * Math.cos(id * (at + 3)) + 2));
}

export function idsFrom(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, at) => first + at);
}

export const metadataOf = (id: number) => ({ parity: id % 2 === 0 ? "even" : "odd", n: id });

export async function open(host: VxHost, config: Config, options?: OpenOptions): Promise<Vx> {
  const vx = new Vx(config, host, options);
  await vx.ready();
  return vx;
}

export async function addAll(vx: Vx, ids: number[]): Promise<void> {
  await vx.batchAdd(ids, ids.map(vectorOf), ids.map(metadataOf));
}

/** Settles once the index has fitted so many models since it was opened. */
export async function fitted(vx: Vx, fits = 1): Promise<void> {
  await expect.poll(async () => (await vx.collectMetrics()).fits_total, WAIT).toBe(fits);
}

/** Settles once it searches with reduced vectors, by whichever model. */
export async function reduced(vx: Vx): Promise<void> {
  await expect.poll(async () => (await vx.collectMetrics()).reduced_dimension, WAIT).toBeGreaterThan(0);
}

/** What the index holds, as it searches it: reduced, where it has a model. */
export async function oracleOf(vx: Vx, ids: number[], distance: Distance = "l2"): Promise<OracleIndex> {
  const vectors = ids.map(vectorOf);
  const { reduced_dimension } = await vx.collectMetrics();
  const asSearched = reduced_dimension === 0 ? vectors : await vx.reduceVectors(vectors);
  return new OracleIndex(
    distance,
    new Map(ids.map((id, at) => [id, { vector: [...(asSearched[at] ?? [])], metadata: metadataOf(id) }])),
  );
}

/** The nearest by the oracle are those found, at the same distances. */
export async function expectSame(
  vx: Vx,
  oracle: OracleIndex,
  { query, k = 5 }: { query: number[]; k?: number },
): Promise<void> {
  const { reduced_dimension } = await vx.collectMetrics();
  const [asked] = reduced_dimension === 0 ? [query] : await vx.reduceVectors([query]);
  const expected = oracle.search([...(asked ?? [])]).slice(0, k);
  sameRanking(await vx.search(query, k), expected);
}

export function sameRanking(found: SearchResult[], expected: { id: number; distance: number }[]): void {
  expect(found.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
  for (const [at, { distance }] of found.entries())
    expect(distance).toBeCloseTo(expected[at]?.distance ?? -1, 3);
}
