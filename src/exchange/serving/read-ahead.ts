/**
 * The stock of blocks that served peers may hold in memory beyond their first. The first block of each peer needs
 * no stock, so nobody can starve the others by reading slowly. One for all of serving; knows who holds any.
 */
import { MAX_REMEMBERED_PEERS, SHARED_READ_AHEAD_BLOCKS } from "../limits.ts";
import { HeldBlocks } from "./held-blocks.ts";

export class ReadAhead {
  /** Of those that were served, the latest last. */
  readonly #byPeer = new Map<string, HeldBlocks>();
  #freeBlocks = SHARED_READ_AHEAD_BLOCKS;

  /** What the peer holds, also of a conversation that is over. */
  of(peerId: string): HeldBlocks {
    const held = this.#byPeer.get(peerId) ?? new HeldBlocks(this);
    this.#byPeer.delete(peerId);
    this.#byPeer.set(peerId, held);
    this.#forget();
    return held;
  }

  /** Those that hold any. */
  holders(): string[] {
    return [...this.#byPeer].filter(([, held]) => !held.isEmpty).map(([peerId]) => peerId);
  }

  tryTake(): boolean {
    if (this.#freeBlocks === 0) return false;
    this.#freeBlocks -= 1;
    return true;
  }

  giveBack(): void {
    this.#freeBlocks += 1;
  }

  /** Who was served the longest ago and holds nothing, where there are too many. */
  #forget(): void {
    if (this.#byPeer.size <= MAX_REMEMBERED_PEERS) return;
    for (const [peerId, held] of this.#byPeer) {
      if (!held.isEmpty) continue;
      this.#byPeer.delete(peerId);
      return;
    }
  }
}
