/** One request of the node for each of many, some under way at a time. Called by get-each and deletions. */
import { ASKED_AT_ONCE } from "../limits.ts";

/** Begun in their order; after a failure no other is. @throws the first failure, once what was under way is over */
export async function someAtATime<T>(all: readonly T[], ask: (one: T) => Promise<unknown>): Promise<void> {
  const left = all.values();
  const failures: unknown[] = [];
  async function askInTurn(): Promise<void> {
    for (const one of left) {
      await ask(one).catch((error: unknown) => failures.push(error));
      if (failures.length > 0) return;
    }
  }
  await Promise.all(Array.from({ length: ASKED_AT_ONCE }, askInTurn));
  if (failures.length > 0) throw failures[0];
}
