/**
 * The same work for each of many, some under way at a time: what waits for the disk waits together. Called by folder-sharing
 * and the API.
 */

/**
 * Begun in their order; after a failure no other is.
 * @returns what came of each, in the same order
 * @throws the first failure, once what was under way is over
 */
export async function someAtATime<T, R>(
  all: readonly T[],
  atOnce: number,
  work: (one: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const failures: unknown[] = [];
  const left = all.entries();
  const workInTurn = async () => {
    for (const [place, one] of left) {
      try {
        results[place] = await work(one);
      } catch (error) {
        failures.push(error);
      }
      if (failures.length > 0) return;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, workInTurn));
  if (failures.length > 0) throw failures[0];
  return results;
}
