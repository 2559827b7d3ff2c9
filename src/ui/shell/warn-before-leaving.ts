/** Has the browser ask before the page closes, as long as there is a reason to. Called by presence. */
import { computed, effect } from "@preact/signals";

/** `isReason` reads signals. Until the function returned is called. */
export function warnBeforeLeaving(isReason: () => boolean): () => void {
  const onLeave = (event: Event) => {
    if (isReason()) event.preventDefault();
  };
  // Lists and speeds change many times a second, and the browser itself is told of each listener.
  const isToAsk = computed(isReason);
  // A listener that is always there would keep the page out of the back-forward cache.
  return effect(() => {
    if (!isToAsk.value) return;
    addEventListener("beforeunload", onLeave);
    return () => removeEventListener("beforeunload", onLeave);
  });
}
