/** The hits of the last search, nearest first; picking one shows it in the picture. Called by search-panel. */
import { Button } from "../elements/button.tsx";
import { countText } from "../elements/quantities.ts";
import { metadataLine } from "./vector-text.ts";
import type { Search, VectorsState } from "./vectors-state.ts";
import "./hit-list.css";

export function HitList({ state }: { state: VectorsState }) {
  const search = state.search.value;
  return (
    <div class="hit-list">
      <header>
        {/* It stands there before it has words: one that comes with them is not read by all. */}
        <p class="quiet small" role="status">
          {search && <Summary search={search} />}
        </p>
        {search && (
          <Button weight="bare" onClick={state.clearSearch}>
            Clear
          </Button>
        )}
      </header>
      {search && <Hits state={state} hits={search.hits} />}
    </div>
  );
}

function Summary({ search: { hits, tookMs, asked } }: { search: Search }) {
  return (
    <>
      {countText(hits.length, "hit")} {asked}{" "}
      <span class="figures">({tookMs.toFixed(tookMs < 10 ? 1 : 0)} ms)</span>
    </>
  );
}

function Hits({ state, hits }: { state: VectorsState; hits: Search["hits"] }) {
  const farthest = hits.at(-1)?.distance || 1;
  return (
    <>
      {hits.length === 0 && (
        <p>
          No vector matches. A filter that fewer records fail would find more; text stands in single quotes
          there, as in title = 'A', and what a list has is asked by json_array_contains(tags, 'b').
        </p>
      )}
      <ol>
        {hits.map(({ id, distance, metadata }) => (
          <li key={id}>
            <button
              type="button"
              aria-pressed={state.picked.value === id}
              onClick={() => (state.picked.value = id)}
            >
              <span class="hit-list-id figures">{id}</span>
              <bdi class="hit-list-what">{metadataLine(metadata)}</bdi>
              <span class="hit-list-distance figures">
                <span class="unseen">distance </span>
                {distance.toFixed(4)}
              </span>
              <span class="hit-list-bar" style={{ inlineSize: `${(distance / farthest) * 100}%` }} />
            </button>
          </li>
        ))}
      </ol>
    </>
  );
}
