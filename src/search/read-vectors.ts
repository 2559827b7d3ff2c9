/** Vectors of many records, read a few at a time. Called by file-map and nearest-files; calls Vx. */
import type { VectorId } from "../vx/arguments.ts";
import type { Vx } from "../vx/vx.ts";
import { VECTORS_READ_AT_ONCE } from "./limits.ts";

/** Each with the vector of its record, in their order, but for those whose record is deleted by now. @throws as Vx.get */
export async function* withVectors<T extends { id: VectorId }>(
  vx: Pick<Vx, "get">,
  all: readonly T[],
): AsyncGenerator<[one: T, vector: Float32Array]> {
  for (let from = 0; from < all.length; from += VECTORS_READ_AT_ONCE) {
    const some = all.slice(from, from + VECTORS_READ_AT_ONCE);
    const records = await Promise.all(some.map(({ id }) => vx.get(id)));
    for (const [i, one] of some.entries()) {
      const vector = records[i]?.vector;
      if (vector !== undefined) yield [one, vector];
    }
  }
}
