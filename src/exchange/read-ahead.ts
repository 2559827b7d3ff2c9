/**
 * The stock of blocks that served peers may hold in memory beyond their first. The first block of each peer needs
 * no stock, so nobody can starve the others by reading slowly. One for all of serving.
 */
import { SHARED_READ_AHEAD_BLOCKS } from "./limits.ts";

export class ReadAhead {
  #freeBlocks = SHARED_READ_AHEAD_BLOCKS;

  tryTake(): boolean {
    if (this.#freeBlocks === 0) return false;
    this.#freeBlocks -= 1;
    return true;
  }

  giveBack(): void {
    this.#freeBlocks += 1;
  }
}
