/** The way back to a vector that was deleted, or replaced by hand. Called by picked-vector and add-by-hand; calls the client. */
import type { ToastAction, Toasts } from "../state/toasts.ts";
import type { VectorRecord, VectorsState } from "./vectors-state.ts";

export function puttingBack(
  state: VectorsState,
  toasts: Toasts,
  { id, vector, metadata }: VectorRecord,
): ToastAction {
  const putBack = async () => {
    try {
      await state.vx.add(id, vector, metadata);
      toasts.say({ text: `Vector ${id} is back.`, tone: "plain" });
      await state.redraw();
    } catch (error) {
      toasts.showError(error);
    }
  };
  return { label: "Undo", run: () => void putBack(), undoes: true };
}
