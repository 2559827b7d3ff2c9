/** The vector picked in the picture or the list: its metadata, and what can be done with it. Called by picture-panel. */
import { useSignal, useSignalEffect } from "@preact/signals";
import { Button } from "../elements/button.tsx";
import { useApp } from "../state/app-state.ts";
import { messageOf } from "../state/toasts.ts";
import { DEFAULT_HITS, MAX_SHOWN_NUMBERS } from "./limits.ts";
import { puttingBack } from "./putting-back.ts";
import type { VectorRecord, VectorsState } from "./vectors-state.ts";
import "./picked-vector.css";

type Fetched = { id: number; record: VectorRecord | undefined } | { id: number; error: string };

export function PickedVector({ state }: { state: VectorsState }) {
  const { toasts } = useApp();
  const fetched = useSignal<Fetched | undefined>(undefined);
  useSignalEffect(() => {
    const id = state.picked.value;
    if (id === undefined) {
      fetched.value = undefined;
      return undefined;
    }
    // Drawn anew, the index may have another vector under the same id.
    state.picture.value;
    let isOver = false;
    const take = (now: Fetched) => {
      if (!isOver) fetched.value = now;
    };
    state.vx.get(id).then(
      (record) => take({ id, record }),
      (error: unknown) => take({ id, error: messageOf(error) }),
    );
    return () => {
      isOver = true;
    };
  });

  const now = fetched.value;
  if (now === undefined)
    return <p class="quiet small">Pick a point to read its metadata and to find what is like it.</p>;
  if ("error" in now) return <p role="alert">{now.error}</p>;
  const { id, record } = now;
  if (record === undefined) return <p class="quiet">Vector {id} is no longer in the index.</p>;

  async function remove(): Promise<void> {
    try {
      // What Undo puts back is what is there now, which somebody may have replaced.
      const before = await state.vx.get(id);
      if (before === undefined) return await state.redraw();
      await state.vx.delete(id);
      state.picked.value = undefined;
      toasts.show({ text: `Vector ${id} is deleted.`, action: puttingBack(state, toasts, before) });
      await state.redraw();
    } catch (error) {
      toasts.showError(error);
    }
  }

  const likeThis = () =>
    state
      .find(`like ${id}`, () => state.vx.search(record.vector, DEFAULT_HITS))
      .catch((error: unknown) => toasts.showError(error));

  return (
    <article class="picked-vector" aria-label={`Vector ${id}`}>
      <header>
        <h3 class="figures">Vector {id}</h3>
        <div class="picked-vector-actions">
          <Button icon="search" onClick={() => void likeThis()}>
            Find what is like it
          </Button>
          <Button icon="remove" weight="bare" tone="danger" iconOnly onClick={() => void remove()}>
            Delete this vector
          </Button>
        </div>
      </header>
      <dl>
        {Object.entries(record.metadata).map(([key, value]) => (
          <div key={key}>
            <dt>
              <bdi>{key}</bdi>
            </dt>
            <dd>
              <bdi>{typeof value === "string" ? value : JSON.stringify(value)}</bdi>
            </dd>
          </div>
        ))}
      </dl>
      <code class="picked-vector-numbers" title={`${record.vector.length} numbers`}>
        [
        {record.vector
          .slice(0, MAX_SHOWN_NUMBERS)
          .map((value) => Number(value.toPrecision(4)))
          .join(", ")}
        {record.vector.length > MAX_SHOWN_NUMBERS
          ? `, … ${record.vector.length - MAX_SHOWN_NUMBERS} more]`
          : "]"}
      </code>
    </article>
  );
}
