/**
 * Which of a peer's requests is answered next: a block that a reader waits for before all others, and what nobody was given
 * lately before what others have just got, which can pass it on. Pure; called by answers and posting.
 */
import { MAX_PASSED_BY } from "../limits.ts";
import { READER_WAITS, type WantMessage } from "../wire/messages.ts";
import type { GivenBlocks } from "./given-blocks.ts";

export interface Asked {
  readonly want: WantMessage;
  /** Of the block. */
  readonly name: string;
  readonly sentBytes: number;
  /** Younger requests that were answered before it. */
  passedBy: number;
}

/** The next first. `asked`: by priority and then age. */
export function inTurn<A extends Asked>(asked: readonly A[], given: GivenBlocks): A[] {
  const ranked = asked.map((one) => ({ one, rank: rankOf(one, given) }));
  return ranked
    .sort((a, b) => b.one.want.priority - a.one.want.priority || a.rank - b.rank)
    .map(({ one }) => one);
}

/** The first bytes of it are sent. `asked`: as above. */
export function begin(one: Asked, asked: readonly Asked[], given: GivenBlocks): void {
  given.give(one.name);
  for (const other of asked) {
    if (other === one) return;
    other.passedBy += 1;
  }
}

/** Among those of one priority, the lowest comes first; of equals, the oldest. */
function rankOf({ want, name, sentBytes, passedBy }: Asked, given: GivenBlocks): number {
  if (want.priority === READER_WAITS) return 0;
  if (sentBytes > 0) return -1;
  return passedBy >= MAX_PASSED_BY ? 0 : given.givenAt(name);
}
