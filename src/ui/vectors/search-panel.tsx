/** Search by hand: by a pasted vector or by an id, with an SQL filter; and the hits. Called by vectors-screen. */
import { useSignal } from "@preact/signals";
import { VxError } from "../../client/vx-error.ts";
import { Button } from "../elements/button.tsx";
import { Field } from "../elements/field.tsx";
import { TextArea } from "../elements/text-area.tsx";
import { messageOf } from "../state/toasts.ts";
import { useKept } from "../state/use-kept.ts";
import { HitList } from "./hit-list.tsx";
import { DEFAULT_HITS, MAX_HITS } from "./limits.ts";
import { readVector } from "./vector-text.ts";
import type { VectorsState } from "./vectors-state.ts";
import "./search-panel.css";

type ErrorPlace = "query" | "count" | "filter";

export function SearchPanel({ state }: { state: VectorsState }) {
  const query = useKept("vector", "");
  const filter = useKept("filter", "");
  const count = useKept("hits", String(DEFAULT_HITS));
  const error = useSignal<{ place: ErrorPlace; text: string } | undefined>(undefined);
  const isBusy = useSignal(false);
  const errorAt = (place: ErrorPlace) => (error.value?.place === place ? error.value.text : undefined);

  /** @throws VxError; undefined if what was typed can't be searched for, which is then said. */
  async function vectorAsked(): Promise<{ vector: readonly number[]; asked: string } | undefined> {
    const text = query.value.trim();
    if (/^#?\d+$/.test(text)) {
      const id = Number(text.replace("#", ""));
      const record = await state.vx.get(id);
      if (record !== undefined) return { vector: record.vector, asked: `like ${id}` };
      error.value = {
        place: "query",
        text: `There is no vector ${id}. Pick a point in the picture instead.`,
      };
      return undefined;
    }
    const read = readVector(text, state.dimension.value);
    if ("vector" in read) return { vector: read.vector, asked: "like the vector pasted" };
    error.value = { place: "query", text: read.error };
    return undefined;
  }

  async function search(): Promise<void> {
    const k = Number(count.value);
    error.value = undefined;
    if (!Number.isInteger(k) || k < 1 || k > MAX_HITS) {
      error.value = { place: "count", text: `A whole number from 1 to ${MAX_HITS}.` };
      return;
    }
    isBusy.value = true;
    const condition = filter.value.trim();
    try {
      const wanted = await vectorAsked();
      if (wanted === undefined) return;
      const asked = condition === "" ? wanted.asked : `${wanted.asked}, where ${condition}`;
      await state.find(asked, () =>
        condition === ""
          ? state.vx.search(wanted.vector, k)
          : state.vx.hybridSearch(wanted.vector, k, condition),
      );
    } catch (caught) {
      const isFilter = caught instanceof VxError && caught.code === "invalid_query";
      error.value = { place: isFilter ? "filter" : "query", text: messageOf(caught) };
    } finally {
      isBusy.value = false;
    }
  }

  return (
    <section class="search-panel" aria-labelledby="search-panel-title">
      <h2 id="search-panel-title">Find what is alike</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void search();
        }}
      >
        <TextArea
          label="Vector, or the id of one"
          value={query.value}
          onInput={(text) => (query.value = text)}
          enterSubmits
          placeholder={`42, or [0.12, -0.5, … ${state.dimension.value ?? ""}]`}
          rows={2}
          error={errorAt("query")}
        />
        <Field
          label="Filter (SQL), if any"
          value={filter.value}
          onInput={(text) => (filter.value = text)}
          placeholder={state.exampleFilter.value}
          exact
          hint={
            state.keys.value.length > 0 ? `Keys: id, ${state.keys.value.slice(0, 8).join(", ")}` : undefined
          }
          error={errorAt("filter")}
        />
        <div class="search-panel-run">
          <Field
            label="Hits"
            value={count.value}
            onInput={(text) => (count.value = text)}
            error={errorAt("count")}
          />
          <Button weight="main" type="submit" icon="search" busy={isBusy.value}>
            Search
          </Button>
        </div>
      </form>
      <HitList state={state} />
    </section>
  );
}
