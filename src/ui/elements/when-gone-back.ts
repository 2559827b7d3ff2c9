/**
 * When somebody goes back by the browser's button, its keys or a swipe, while something is open over a screen: that
 * closes, and the screen is left by the next step. Android's back button is told of by the browser as a wish to close.
 * Called by dialog. Source: HTML, "Navigation API"; browsers let nobody hold a step back that follows another at once.
 */

/** What is open, the last above the others: a step closes that alone. */
const opened: (() => void)[] = [];

/** Calls `close` in place of such a step until the function returned is called. Where it can't be held, the screen is left. */
export function whenGoneBack(close: () => void): () => void {
  const stop = new AbortController();
  opened.push(close);
  if ("navigation" in window) {
    const { navigation } = window;
    const hold = (event: NavigateEvent) => {
      const isBack =
        event.navigationType === "traverse" &&
        event.destination.index < (navigation.currentEntry?.index ?? 0);
      // Those below hear of it first.
      if (!isBack || !event.cancelable || opened.at(-1) !== close) return;
      event.preventDefault();
      close();
    };
    navigation.addEventListener("navigate", hold, { signal: stop.signal });
  }
  return () => {
    stop.abort();
    opened.splice(opened.indexOf(close), 1);
  };
}
