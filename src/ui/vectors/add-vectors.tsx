/** Adds vectors: a file of many, or one by hand. Called by vectors-screen; calls add-by-file and add-by-hand. */
import { useKept } from "../state/use-kept.ts";
import { AddByFile } from "./add-by-file.tsx";
import { AddByHand } from "./add-by-hand.tsx";
import "./add-vectors.css";
import type { VectorsState } from "./vectors-state.ts";

export function AddVectors({ state }: { state: VectorsState }) {
  const isByHand = useKept("by hand", false);
  return (
    <section class="vectors-section" aria-labelledby="add-vectors-title">
      <h2 id="add-vectors-title">Add vectors</h2>
      <div class="add-vectors">
        <AddByFile state={state} />
        <details
          class="add-vectors-by-hand"
          open={isByHand.value}
          onToggle={({ currentTarget }) => (isByHand.value = currentTarget.open)}
        >
          <summary>By hand, one at a time</summary>
          <AddByHand state={state} />
        </details>
      </div>
    </section>
  );
}
