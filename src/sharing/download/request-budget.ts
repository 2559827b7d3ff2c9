/**
 * Chunks under way in all downloads together, since each holds its buffer from the request to the disk. Shared by all
 * transfers; one that nobody is bringing anything may always ask for a chunk, so that none starves.
 */
import { MAX_CHUNKS_UNDER_WAY } from "../limits.ts";

export class RequestBudget {
  #underWay = 0;

  get hasRoom(): boolean {
    return this.#underWay < MAX_CHUNKS_UNDER_WAY;
  }

  begin(): void {
    this.#underWay += 1;
  }

  end(): void {
    this.#underWay -= 1;
  }
}
