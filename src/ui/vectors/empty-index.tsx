/** What stands in place of picture and search while the index is empty. Called by vectors-screen; calls made-up-vectors. */
import { useSignal } from "@preact/signals";
import { Button } from "../elements/button.tsx";
import { EmptyState } from "../elements/empty-state.tsx";
import { useApp } from "../state/app-state.ts";
import { MADE_UP_VECTORS } from "./limits.ts";
import { madeUpVectors } from "./made-up-vectors.ts";
import type { VectorsState } from "./vectors-state.ts";

export function EmptyIndex({ state }: { state: VectorsState }) {
  const { toasts } = useApp();
  const isBusy = useSignal(false);
  const dimension = state.dimension.value;

  async function fill(): Promise<void> {
    if (dimension === undefined) return;
    isBusy.value = true;
    try {
      await state.vx.batchAdd(madeUpVectors(dimension));
      await state.redraw();
    } catch (error) {
      toasts.showError(error);
    } finally {
      isBusy.value = false;
    }
  }

  return (
    <EmptyState
      title="No vectors yet"
      actions={
        <Button onClick={() => void fill()} busy={isBusy.value} disabled={dimension === undefined}>
          Try it with {String(MADE_UP_VECTORS)} made-up vectors
        </Button>
      }
    >
      <p>
        A vector is a list of numbers that stands for a text, a picture or a sound, made by a model of your
        choice
        {dimension !== undefined && ` that gives ${dimension} of them`}. Add some below or over the API, and
        this page finds which are alike.
      </p>
    </EmptyState>
  );
}
