/**
 * Keeps the keyboard's place. What has the focus may go with what it did: a row that deletes itself, a Save that is done;
 * engines then leave the focus nowhere. It goes along with what moved (`data-thing`: the same in every list), else to the
 * nearest thing that is left. Called by the shell.
 */

/** What keys reach. */
export const REACHABLE =
  "a[href], button:enabled, input:enabled, select:enabled, textarea:enabled, summary, [tabindex='0']";

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
  let thing: string | undefined;
  const stop = new AbortController();

  function remember({ target }: FocusEvent): void {
    way = [];
    // Who points is not in need of a place.
    if (!(target instanceof Element) || !target.matches(":focus-visible")) return;
    const isInside = main.contains(target);
    if (isInside && target !== main) onScreen = target;
    thing = thingOf(target.closest("[data-thing]"));
    for (let at: Element | null = target; at !== null && at !== main; at = at.parentElement) {
      way.push({ element: at, next: at.nextElementSibling, previous: at.previousElementSibling });
      if (!isInside) break;
    }
  }

  function mend(): void {
    const [lost] = way;
    if (lost === undefined || isLeft(lost) || hasFocusElsewhere(lost)) return;
    const left = way.findIndex(isLeft);
    const gone = way[left - 1];
    const kept = way.slice(left).map(({ element }) => element);
    const isThingLeft = kept.some((element) => thingOf(element) === thing);
    const moved = isThingLeft ? [] : [...main.querySelectorAll("[data-thing]")];
    const nearest = left === -1 ? [onScreen] : [...(gone ? placesOf(gone, kept[0]) : []), ...kept];
    const places = [...moved.filter((element) => thingOf(element) === thing), ...nearest];
    way = [];
    const next = places.map(firstReachable).find((found) => found !== undefined);
    (next ?? main).focus({ preventScroll: next === undefined });
  }

  const changes = new MutationObserver(mend);
  changes.observe(document.body, {
    childList: true,
    subtree: true,
    attributeFilter: ["disabled"],
  });
  document.addEventListener("focusin", remember, { signal: stop.signal });
  return () => {
    changes.disconnect();
    stop.abort();
  };
}

/** What is disabled loses the focus, too, and that without a word. */
function isLeft({ element }: Step): boolean {
  return element.isConnected && !element.matches(":disabled");
}

/** Of what was just disabled engines hear with the next frame. */
function hasFocusElsewhere({ element }: Step): boolean {
  return document.activeElement !== document.body && document.activeElement !== element;
}

function thingOf(element: Element | null): string | undefined {
  return (element as HTMLElement | null)?.dataset.thing;
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
