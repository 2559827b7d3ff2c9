/**
 * Where files lie by what they are about: the beginnings of their texts on the two directions in which these differ most. Made
 * by meaning; calls Vx for vectors and vx/reduction for the directions. The last map is kept until files or vectors change.
 */
import type { Vx } from "../vx/vx.ts";
import type { Directory } from "./directory.ts";
import { recordId } from "./file-records.ts";
import type { FileVectors } from "./file-vectors.ts";
import { isIn, type KnownFile, type Scope } from "./known-file.ts";
import { MAX_MAP_POINTS } from "./limits.ts";
import { withVectors } from "./read-vectors.ts";

/** A file and its place, from -2 to 2 at most, for its vector is of unit length. */
export interface FilePoint {
  file: KnownFile;
  x: number;
  y: number;
}

export interface FileMap {
  points: FilePoint[];
  /** Files in the scope that could be drawn; of more than MAX_MAP_POINTS points are an even sample. */
  total: number;
}

/** What is kept: the map of one state of directory and index. */
interface Drawn {
  key: string;
  map: Promise<FileMap>;
}

export class FileMapper {
  readonly #vx: Vx;
  readonly #vectors: FileVectors;
  readonly #directory: Directory;
  #last: Drawn | undefined;

  constructor(vx: Vx, vectors: FileVectors, directory: Directory) {
    this.#vx = vx;
    this.#vectors = vectors;
    this.#directory = directory;
  }

  /** One map is drawn at a time, and who asks for the same gets the same. @throws VxError `unavailable` */
  draw(scope: Scope): Promise<FileMap> {
    const key = `${scope} ${this.#directory.version} ${this.#vectors.version}`;
    if (this.#last?.key === key) return this.#last.map;
    const before = this.#last?.map;
    const map = Promise.allSettled([before]).then(() => this.#draw(scope));
    const drawn = { key, map };
    this.#last = drawn;
    map.catch(() => {
      if (this.#last === drawn) this.#last = undefined;
    });
    return map;
  }

  async #draw(scope: Scope): Promise<FileMap> {
    const drawable = this.#drawable(scope);
    const files: KnownFile[] = [];
    const vectors: Float32Array[] = [];
    for await (const [{ file }, vector] of withVectors(this.#vx, evenly(drawable, MAX_MAP_POINTS))) {
      files.push(file);
      vectors.push(vector);
    }
    const places = await placesOf(vectors);
    const points = files.map((file, i) => ({
      file,
      x: places[2 * i] as number,
      y: places[2 * i + 1] as number,
    }));
    return { points, total: drawable.length };
  }

  /** Files in the scope that have a vector, with the id of their first record. */
  #drawable(scope: Scope): { file: KnownFile; id: number }[] {
    return this.#directory.all().flatMap((file) => {
      const known = isIn(scope, file) ? this.#vectors.get(file.fileId) : undefined;
      return known === undefined ? [] : [{ file, id: recordId(known.number, 0) }];
    });
  }
}

/** All of a short list; of a long one as many as are wanted, evenly spread. */
function evenly<T>(all: readonly T[], wanted: number): T[] {
  if (all.length <= wanted) return [...all];
  return Array.from({ length: wanted }, (_, i) => all[Math.floor((i * all.length) / wanted)] as T);
}

/** Row-major [count, 2]; zeros where there is nothing to compare. */
async function placesOf(vectors: readonly Float32Array[]): Promise<Float32Array> {
  const dimension = vectors[0]?.length ?? 0;
  const places = new Float32Array(vectors.length * 2);
  if (vectors.length < 2) return places;
  const rows = new Float32Array(vectors.length * dimension);
  for (const [i, vector] of vectors.entries()) rows.set(vector, i * dimension);
  const { fitModel } = await import("../vx/reduction/fit.ts");
  const target = Math.min(2, dimension);
  const settings = { method: "pca", target, adaptive: false, minVariance: 0 } as const;
  const { reduced } = await fitModel(rows, dimension, settings);
  for (let i = 0; i < vectors.length; i++) {
    places.set(reduced.subarray(i * target, (i + 1) * target), i * 2);
  }
  return places;
}
