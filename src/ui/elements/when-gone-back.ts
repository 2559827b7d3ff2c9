/**
 * When somebody goes back by the browser's button, its keys or a swipe, while something is open over a screen: that closes, and the
 * screen is left by the next step. Android's back button is told of by the browser as a wish to close. Called by dialog. Source: HTML,
 * "Navigation API"; browsers let nobody hold a step back that follows another at once.
 */

/** Calls `close` in place of such a step until the function returned is called. Where it can't be held, the screen is left. */
export function whenGoneBack(close: () => void): () => void {
  const stop = new AbortController();
  if ("navigation" in window) {
    const { navigation } = window;
    const hold = (event: NavigateEvent) => {
      const isBack =
        event.navigationType === "traverse" &&
        event.destination.index < (navigation.currentEntry?.index ?? 0);
      if (!isBack || !event.cancelable) return;
      event.preventDefault();
      close();
    };
    navigation.addEventListener("navigate", hold, { signal: stop.signal });
  }
  return () => stop.abort();
}
