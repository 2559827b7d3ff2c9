/** The picture of the points, coloured by a key of the metadata, and the vector picked in it. Called by vectors-screen. */
import { useComputed, useSignal } from "@preact/signals";
import { ColourKey } from "../drawings/colour-key.tsx";
import { Scatter } from "../drawings/scatter.tsx";
import { Button } from "../elements/button.tsx";
import { countText, numberText, percentText } from "../elements/quantities.ts";
import { PickedVector } from "./picked-vector.tsx";
import type { Picture } from "./picture.ts";
import { hueKeys, huesBy } from "./point-hues.ts";
import { metadataLine } from "./vector-text.ts";
import type { VectorsState } from "./vectors-state.ts";
import "./picture-panel.css";

export function PicturePanel({ state }: { state: VectorsState }) {
  const drawn = state.picture.value;
  return (
    <section class="picture-panel" aria-labelledby="picture-panel-title">
      <h2 id="picture-panel-title" class="unseen">
        Picture of the vectors
      </h2>
      {drawn.state === "drawing" && <div class="picture-panel-wait quiet">Drawing the vectors…</div>}
      {drawn.state === "failed" && (
        <div class="picture-panel-wait" role="alert">
          <p>The picture could not be drawn. {drawn.message}</p>
          <Button icon="retry" onClick={() => void state.redraw()}>
            Try again
          </Button>
        </div>
      )}
      {drawn.state === "drawn" && drawn.picture !== undefined && (
        <Drawn state={state} picture={drawn.picture} />
      )}
    </section>
  );
}

function Drawn({ state, picture }: { state: VectorsState; picture: Picture }) {
  const keys = hueKeys(picture.entries);
  const chosenKey = useSignal<string | undefined>(undefined);
  const key = chosenKey.value ?? keys[0] ?? "";
  const colouring = huesBy(picture.entries, key);
  const lit = useComputed(() => {
    const hits = state.search.value?.hits ?? [];
    return new Set(hits.flatMap(({ id }) => picture.indexOf.get(id) ?? []));
  });
  const picked = state.picked.value === undefined ? undefined : picture.indexOf.get(state.picked.value);
  const idAt = (index: number) => picture.entries[index]?.id;
  const count = state.metrics.value.value?.vector_count ?? picture.total;
  const [first, second] = picture.components.explained;
  return (
    <>
      <Scatter
        points={picture.points}
        lit={lit.value}
        hues={colouring.hues}
        picked={picked}
        onPick={(index) => (state.picked.value = idAt(index))}
        describe={(index) => `${idAt(index)} · ${metadataLine(picture.entries[index]?.metadata ?? {})}`}
        label="Vectors by their two principal components"
      />
      <div class="picture-panel-caption">
        <p class="quiet small figures">
          {numberText(picture.entries.length)} of {countText(count, "vector")}
          {picture.entries.length > 1 &&
            ` by the two directions in which they differ most: ${percentText(first + second)} of the differences`}
          .
          {count !== picture.total && (
            <>
              {" "}
              The index changed since.{" "}
              <Button weight="link" onClick={() => void state.redraw()}>
                Draw anew
              </Button>
            </>
          )}
        </p>
        {keys.length > 0 && (
          <label class="picture-panel-hue small">
            Colour by{" "}
            <select value={key} onChange={(event) => (chosenKey.value = event.currentTarget.value)}>
              {keys.map((name) => (
                <option key={name}>{name}</option>
              ))}
              <option value="">nothing</option>
            </select>
          </label>
        )}
      </div>
      {colouring.names.length > 0 && (
        <ColourKey entries={colouring.names.map((name, index) => ({ name, hue: index + 1 }))} />
      )}
      <PickedVector state={state} />
    </>
  );
}
