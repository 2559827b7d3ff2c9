/**
 * An order in which nobody fills a list by being many: a host under a hundred ids would be all that anybody is told of.
 * Called where some of many peers are named: rendezvous-point, provider-records.
 */

/** One from each origin in the order given, then a second from each, and so on. */
export function fromEachOrigin<T>(all: readonly T[], originOf: (one: T) => string | undefined): T[] {
  const counts = new Map<string | undefined, number>();
  const inTurns = all.map((one) => {
    const origin = originOf(one);
    const turn = counts.get(origin) ?? 0;
    counts.set(origin, turn + 1);
    return { one, turn };
  });
  return inTurns.sort((a, b) => a.turn - b.turn).map(({ one }) => one);
}
