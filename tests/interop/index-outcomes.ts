/** What must be there of restless-writer's batches after it was ended. */
import { expect } from "vitest";
import { IDS_A_BATCH, idsOf, record } from "../vx/storage/restless-batches.ts";
import type { SmallIndex } from "../vx/storage/small-index.ts";

/** What became of batches, as far as it is known: a batch that is not here may be there whole, or not at all. */
export class Outcomes {
  readonly #outcomes = new Map<number, "stored" | "refused">();
  /** The highest number that was told of. */
  last = 0;

  tell(outcome: "stored" | "refused", number: number): void {
    this.#outcomes.set(number, outcome);
    this.last = Math.max(this.last, number);
  }

  count(outcome: "stored" | "refused"): number {
    return [...this.#outcomes.values()].filter((one) => one === outcome).length;
  }

  /** Compares with an index that was opened anew; what was open before is settled from then on. */
  check(index: Pick<SmallIndex, "content">): void {
    const content = index.content();
    for (const [id, found] of content) {
      const { vector, metadata } = record(id);
      expect(found).toEqual({ vector: [...vector], metadata });
    }
    const numbers = new Set([...content.keys()].map((id) => Math.floor(Number(id) / IDS_A_BATCH)));
    for (const number of this.#outcomes.keys()) numbers.add(number % 4 === 3 ? number - 3 : number);
    for (const number of numbers) {
      const ids = idsOf(number);
      const present = ids.filter((id) => content.has(id)).length;
      expect([0, ids.length], `batch ${number} is whole or not there`).toContain(present);
      this.#checkBatch(number, present > 0);
    }
  }

  #checkBatch(number: number, isThere: boolean): void {
    const added = this.#outcomes.get(number);
    const remover = number % 4 === 0 ? number + 3 : undefined;
    const removed = remover === undefined ? "refused" : this.#outcomes.get(remover);
    if (removed === "stored") expect(isThere, `batch ${number} was deleted`).toBe(false);
    else if (added === "refused") expect(isThere, `batch ${number} was refused`).toBe(false);
    else if (added === "stored" && removed === "refused") {
      expect(isThere, `batch ${number} was acknowledged`).toBe(true);
    }
    if (added === undefined) this.#outcomes.set(number, isThere ? "stored" : "refused");
    else if (added === "stored" && removed === undefined && remover !== undefined) {
      this.#outcomes.set(remover, isThere ? "refused" : "stored");
    }
  }
}
