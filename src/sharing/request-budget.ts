/**
 * Chunks under way in all downloads together, since each holds its buffer from the request to the disk. Shared by all
 * transfers; one that has nothing under way may always ask for a chunk, so that none starves.
 */
import { MAX_CHUNKS_UNDER_WAY } from "./limits.ts";

export class RequestBudget {
  #underWay = 0;

  /** `ownUnderWay`: what the asking transfer has under way already. */
  hasRoom(ownUnderWay: number): boolean {
    return this.#underWay < MAX_CHUNKS_UNDER_WAY || ownUnderWay === 0;
  }

  begin(): void {
    this.#underWay += 1;
  }

  end(): void {
    this.#underWay -= 1;
  }
}
