/**
 * A picture of the index: a sample of its vectors, spread evenly over it, and where they lie in the plane of their two
 * principal components. Called by vectors-state; calls the client, and principal-components in slices.
 */
import type { Client } from "../../client/vx-client.ts";
import { inSlices } from "./in-slices.ts";
import { MAX_PICTURE_VECTORS, SAMPLE_PAGES } from "./limits.ts";
import { type Components, principalComponents, projected } from "./principal-components.ts";

export interface PictureEntry {
  id: number;
  metadata: Record<string, unknown>;
}

export interface Picture {
  /** In the order of the points. */
  entries: readonly PictureEntry[];
  /** Row-major [count, 2]. */
  points: Float32Array;
  indexOf: ReadonlyMap<number, number>;
  components: Components;
  /** How many vectors the index held. */
  total: number;
}

interface SampledVector extends PictureEntry {
  vector: readonly number[];
}

/** Undefined for an empty index. @throws VxError, and the signal's reason */
export async function drawPicture(vx: Client, signal: AbortSignal): Promise<Picture | undefined> {
  const { total } = await vx.list({ limit: 1 });
  const sample: SampledVector[] = [];
  const known = new Set<number>();
  for (const page of samplePages(total)) {
    signal.throwIfAborted();
    for (const entry of (await vx.list({ ...page, vectors: true })).vectors) {
      const { id, metadata, vector } = entry;
      // Pages are taken one after the other: what moved in between may come twice.
      if (vector === undefined || known.has(id)) continue;
      known.add(id);
      sample.push({ id, metadata, vector });
    }
  }
  const [first] = sample;
  if (first === undefined) return undefined;
  const rows = rowsOf(sample, first.vector.length);
  const components = await inSlices(principalComponents(rows, first.vector.length), signal);
  const points = await inSlices(projected(rows, components), signal);
  return pictureOf(sample, points, components, total);
}

/** The picture with vectors that the sample lacks, such as search hits, in their places. */
export async function withVectors(picture: Picture, more: readonly SampledVector[]): Promise<Picture> {
  const dimension = picture.components.mean.length;
  const added = more.filter(({ id, vector }) => !picture.indexOf.has(id) && vector.length === dimension);
  if (added.length === 0) return picture;
  const places = await inSlices(projected(rowsOf(added, dimension), picture.components));
  const points = new Float32Array(picture.points.length + places.length);
  points.set(picture.points);
  points.set(places, picture.points.length);
  return pictureOf([...picture.entries, ...added], points, picture.components, picture.total);
}

/** Pages of the listing that together hold the sample: all of a small index, even stretches of a large one. */
export function samplePages(total: number): { limit: number; offset: number }[] {
  const wanted = Math.min(total, MAX_PICTURE_VECTORS);
  const pageCount = Math.min(SAMPLE_PAGES, wanted);
  return Array.from({ length: pageCount }, (_, page) => {
    const from = Math.floor((page * wanted) / pageCount);
    const to = Math.floor(((page + 1) * wanted) / pageCount);
    return { limit: to - from, offset: Math.floor((from * total) / wanted) };
  });
}

function pictureOf(
  entries: readonly PictureEntry[],
  points: Float32Array,
  components: Components,
  total: number,
): Picture {
  return {
    entries: entries.map(({ id, metadata }) => ({ id, metadata })),
    points,
    indexOf: new Map(entries.map(({ id }, index) => [id, index])),
    components,
    total,
  };
}

function rowsOf(sample: readonly { vector: readonly number[] }[], dimension: number): Float32Array {
  const rows = new Float32Array(sample.length * dimension);
  sample.forEach(({ vector }, row) => {
    rows.set(vector.slice(0, dimension), row * dimension);
  });
  return rows;
}
