/**
 * Chunks of a file that have the same bytes, as those of its zeros: one that comes is all of them. Made of the manifest by
 * transfer-chunks.
 */
import { blockKey } from "./hash.ts";
import type { Manifest } from "./manifest.ts";

/** For each chunk that is not the only one of its bytes, all that are. */
export function twinsOf({ chunkCount, chunkCid }: Manifest): Map<number, readonly number[]> {
  const firsts = new Map<string, number>();
  const twins = new Map<number, number[]>();
  for (let index = 0; index < chunkCount; index++) {
    const key = blockKey(chunkCid(index));
    const first = firsts.get(key);
    if (first === undefined) {
      firsts.set(key, index);
      continue;
    }
    const all = twins.get(first) ?? [first];
    all.push(index);
    twins.set(first, all).set(index, all);
  }
  return twins;
}
