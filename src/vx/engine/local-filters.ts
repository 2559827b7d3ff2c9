/**
 * Which slots filters and facets let through, for searches in the caller's thread: asked for once one is used again, forgotten
 * with every change. Kept by RemoteEngine.
 */
import { SlotSet } from "../hnsw/slot-set.ts";
import type { Narrowing } from "../metadata/metadata-index.ts";
import { MAX_CACHED_FILTER_CHARS } from "../sql/limits.ts";
import { MAX_LOCAL_FILTERS } from "./limits.ts";

type Known = "used" | "asked" | SlotSet;

export class LocalFilters {
  #known = new Map<string, Known>();

  /** The set if it is here. `ask` may be called to have it next time. */
  get(
    narrowing: Narrowing,
    ask: (narrowing: Narrowing) => Promise<Uint32Array | undefined>,
  ): SlotSet | undefined {
    const name = JSON.stringify(narrowing);
    const known = this.#known.get(name);
    if (known instanceof SlotSet) return known;
    if (known === undefined) this.#note(name);
    if (known === "used") void this.#fetch(name, ask(narrowing));
    return undefined;
  }

  /** A change begins. What was asked for before it comes too late. */
  forget(): void {
    if (this.#known.size > 0) this.#known = new Map();
  }

  #note(name: string): void {
    if (name.length > MAX_CACHED_FILTER_CHARS) return;
    this.#known.set(name, "used");
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_LOCAL_FILTERS && oldest !== undefined) this.#known.delete(oldest);
  }

  async #fetch(name: string, answer: Promise<Uint32Array | undefined>): Promise<void> {
    const known = this.#known;
    known.set(name, "asked");
    // What is wrong with it is told to whoever searches with it.
    const words = await answer.catch(() => undefined);
    if (words !== undefined && known.has(name)) known.set(name, SlotSet.of(words));
  }
}
