/**
 * Which slots filters and facets let through, for searches in the caller's thread: asked for once one is used again, forgotten
 * with every change. Kept by LocalSearch.
 */
import { SlotSet } from "../hnsw/slot-set.ts";
import { KeptByName } from "../metadata/kept-by-name.ts";
import { MAX_KEPT_NAME_CHARS } from "../metadata/limits.ts";
import type { Narrowing } from "../metadata/metadata-index.ts";
import type { SharingEngine } from "./engine.ts";
import { MAX_LOCAL_FILTERS } from "./limits.ts";

type Known = "used" | "asked" | SlotSet;

export class LocalFilters {
  readonly #slotsOf: SharingEngine["slotsOf"];
  /** Of one version. */
  #known = new KeptByName<Known>(MAX_LOCAL_FILTERS);
  #version = -1;

  constructor(slotsOf: SharingEngine["slotsOf"]) {
    this.#slotsOf = slotsOf;
  }

  /** The set for a version of the graph, if it is here; if not, it may be asked for, to be here next time. */
  get(narrowing: Narrowing, version: number): SlotSet | undefined {
    if (version !== this.#version) {
      this.#known = new KeptByName(MAX_LOCAL_FILTERS);
      this.#version = version;
    }
    const name = JSON.stringify(narrowing);
    const known = this.#known.get(name);
    if (known instanceof SlotSet) return known;
    if (known === undefined && name.length <= MAX_KEPT_NAME_CHARS) this.#known.set(name, "used");
    if (known === "used") void this.#fetch(name, narrowing);
    return undefined;
  }

  async #fetch(name: string, narrowing: Narrowing): Promise<void> {
    const [known, version] = [this.#known, this.#version];
    known.set(name, "asked");
    // What is wrong with it is told to whoever searches with it.
    const slots = await this.#slotsOf(narrowing).catch(() => undefined);
    if (slots?.version === version && known.get(name) !== undefined) known.set(name, SlotSet.of(slots.words));
  }
}
