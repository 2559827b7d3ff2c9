/**
 * Keeps the keyboard's place. What has the focus may go with what it did: a row that deletes itself, a Save that is done;
 * engines then leave the focus nowhere. It goes to the nearest thing that is left. Called by the shell.
 */

const REACHABLE = "a[href], button:enabled, input:enabled, select:enabled, textarea:enabled, summary";

/** An element on the way from the focus up to the screen, and what stood beside it. */
interface Step {
  element: Element;
  next: Element | null;
  previous: Element | null;
}

/** Runs until the function returned is called. `main` takes the focus where nothing nearer does. */
export function keepFocus(main: HTMLElement): () => void {
  let way: Step[] = [];
  /** The last place on the screen, for what has the focus outside of it and goes: a toast's Undo. */
  let onScreen: Element | null = null;
  const stop = new AbortController();

  function remember({ target }: FocusEvent): void {
    way = [];
    // Who points is not in need of a place.
    if (!(target instanceof Element) || !target.matches(":focus-visible")) return;
    const isInside = main.contains(target);
    if (isInside && target !== main) onScreen = target;
    for (let at: Element | null = target; at !== null && at !== main; at = at.parentElement) {
      way.push({ element: at, next: at.nextElementSibling, previous: at.previousElementSibling });
      if (!isInside) break;
    }
  }

  function mend(): void {
    const [lost] = way;
    if (lost === undefined || lost.element.isConnected || document.activeElement !== document.body) return;
    const left = way.findIndex(({ element }) => element.isConnected);
    const gone = way[left - 1];
    const kept = way.slice(left).map(({ element }) => element);
    const places = left === -1 ? [onScreen] : [...(gone ? placesOf(gone, kept[0]) : []), ...kept];
    way = [];
    const next = places.map(firstReachable).find((found) => found !== undefined);
    (next ?? main).focus({ preventScroll: next === undefined });
  }

  const changes = new MutationObserver(mend);
  changes.observe(document.body, { childList: true, subtree: true });
  document.addEventListener("focusin", remember, { signal: stop.signal });
  return () => {
    changes.disconnect();
    stop.abort();
  };
}

/** What came in its place, then what stood beside it. */
function placesOf({ next, previous }: Step, parent: Element | undefined): (Element | null)[] {
  const came: (Element | null)[] = [];
  const from = previous?.isConnected ? previous.nextElementSibling : (parent?.firstElementChild ?? null);
  for (let at = from; at !== null && at !== next; at = at.nextElementSibling) came.push(at);
  return [...(previous === null || previous.isConnected ? came : []), next, previous];
}

function firstReachable(place: Element | null): HTMLElement | undefined {
  if (place === null || !place.isConnected) return undefined;
  const all = [place, ...place.querySelectorAll(REACHABLE)] as HTMLElement[];
  return all.find((element) => element.matches(REACHABLE) && element.checkVisibility());
}
