/**
 * When a list that is open over a screen closes: where somebody presses or goes beside it, and at what a device takes
 * for closing, which is Escape, Android's back button, a screen reader's gesture. Called by menu and navigation.
 * Source: HTML, "Close requests and close watchers".
 */

declare global {
  interface Window {
    /** Not in Safari yet, nor in the types of TypeScript. */
    CloseWatcher?: new (options: {
      signal: AbortSignal;
    }) => EventTarget;
  }
}

/** Calls `close` until the function returned is called: with true where the keys are to go back to what opened it. */
export function whenDismissed(inside: Element, close: (giveFocusBack: boolean) => void): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  const leave = ({ target }: Event) => {
    if (!inside.contains(target as Node)) close(false);
  };
  document.addEventListener("pointerdown", leave, { signal });
  document.addEventListener("focusin", leave, { signal });
  if (window.CloseWatcher) {
    new window.CloseWatcher({ signal }).addEventListener("close", () => close(true));
  } else {
    const onKey = ({ key }: KeyboardEvent) => {
      if (key === "Escape") close(true);
    };
    document.addEventListener("keydown", onKey, { signal });
  }
  return () => stop.abort();
}
