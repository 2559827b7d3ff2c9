/**
 * What an index that reduces its vectors tells of it: how many numbers it searches by, how far a fit is, and a new fit to
 * what is there by now. Nothing where vectors are searched as they are. Called by vectors-screen.
 */
import { useSignal } from "@preact/signals";
import { Button } from "../elements/button.tsx";
import { ProgressLine } from "../elements/progress-line.tsx";
import { countText, numberText } from "../elements/quantities.ts";
import { useApp } from "../state/app-state.ts";
import { messageOf } from "../state/toasts.ts";
import type { Metrics, VectorsState } from "./vectors-state.ts";
import "./reduction-panel.css";

export function ReductionPanel({ state, metrics }: { state: VectorsState; metrics: Metrics }) {
  const { toasts } = useApp();
  const isAsked = useSignal(false);
  const error = useSignal<string | undefined>(undefined);
  const { dimension, reduced_dimension: reduced, fit_progress: progress } = metrics;
  const isFitting = isAsked.value || progress > 0;
  if (reduced === 0 && !isFitting) return null;

  async function refit(): Promise<void> {
    isAsked.value = true;
    error.value = undefined;
    try {
      const done = await state.vx.refit();
      toasts.show({
        text: `Fitted to ${countText(done.vector_count, "vector")}: searched by ${countText(done.reduced_dimension, "number")} each.`,
      });
    } catch (caught) {
      error.value = messageOf(caught);
    } finally {
      isAsked.value = false;
      // Of an index that is away the screen tells, which asks for the figures again and again.
      await state.metrics.refresh().catch(() => undefined);
    }
  }

  return (
    <section class="reduction-panel" aria-labelledby="reduction-panel-title">
      <div>
        <h2 id="reduction-panel-title">Reduction</h2>
        <p class="quiet">
          {reduced === 0
            ? "Until the first model is fitted, vectors are searched as they are."
            : `A model makes ${numberText(dimension)} numbers ${numberText(reduced)}. Searches compare those, and distances are theirs; vectors are given back whole.`}
        </p>
      </div>
      {isFitting ? (
        <div class="reduction-panel-fit">
          <p class="small">Fitting a model. Searches and additions go on.</p>
          <ProgressLine fraction={progress > 0 ? progress : undefined} label="Fit of a model" />
        </div>
      ) : (
        <Button onClick={() => void refit()}>Fit to what is there now</Button>
      )}
      {error.value !== undefined && (
        <p class="reduction-panel-error" role="alert">
          {error.value}
        </p>
      )}
    </section>
  );
}
