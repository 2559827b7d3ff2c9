/**
 * The stock of blocks that served peers may hold in memory beyond their first. The first block of each peer needs
 * no stock, so nobody can starve the others by reading slowly. One for all of serving; knows who holds any.
 */
import { HeldBlocks } from "./held-blocks.ts";
import { SHARED_READ_AHEAD_BLOCKS } from "./limits.ts";

export class ReadAhead {
  readonly #holders = new Map<string, HeldBlocks>();
  #freeBlocks = SHARED_READ_AHEAD_BLOCKS;

  /** What the peer holds, also of a conversation that is over. */
  of(peerId: string): HeldBlocks {
    const known = this.#holders.get(peerId);
    if (known !== undefined) return known;
    const held: HeldBlocks = new HeldBlocks(this, (isAny) => {
      if (isAny) this.#holders.set(peerId, held);
      else this.#holders.delete(peerId);
    });
    return held;
  }

  /** Those that hold any. */
  holders(): Iterable<string> {
    return this.#holders.keys();
  }

  tryTake(): boolean {
    if (this.#freeBlocks === 0) return false;
    this.#freeBlocks -= 1;
    return true;
  }

  giveBack(): void {
    this.#freeBlocks += 1;
  }
}
