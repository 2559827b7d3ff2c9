/**
 * What a person finds again who goes back: words of a search, rows that were asked for, how far a screen was scrolled. Each
 * entry of the browser's history is a place, told by a number in its `history.state`; what is kept there lasts as long as the
 * page. Called by the router, and by screens through state/use-kept; calls the History API.
 */
import { type Signal, signal } from "@preact/signals";
import { MAX_PLACES } from "./limits.ts";

export interface Place {
  /** How far it was scrolled when it was left, in CSS pixels. */
  readonly scrollY: number;
  /** The signal of that name, made with `initial` when it is first asked for. */
  kept<T>(name: string, initial: T): Signal<T>;
}

export interface Places {
  here(): Place;
  /** To be called once the address has changed: what was here is left, and what was left there is here again. */
  move(): void;
  /** The same from one part of a screen to another: it stays as it is drawn, with what is kept, and is scrolled elsewhere. */
  moveWithin(): void;
  /** The same where the screen stays as it is drawn, as from no fragment to that of the files: it is one place. */
  stay(): void;
}

/** `page` is the window, or what stands for it. Marks where one is until `stop` aborts. */
export function createPlaces(
  page: Pick<Window, "history" | "scrollY" | "addEventListener">,
  stop: AbortSignal,
): Places {
  const left = new Map<number, Place>();
  let here = arrive(newPlace);
  // The browser would scroll before the screen is drawn, and what is left would count as scrolled that far.
  page.history.scrollRestoration = "manual";
  // A link to where one is takes the number from the entry, in Firefox without an event; it is there again before a
  // link leads away.
  page.addEventListener("click", () => mark(here.number), { signal: stop });

  function arrive(open: () => Place): { number: number; place: Place } {
    const number = numberIn(page.history.state) ?? Math.random();
    mark(number);
    return { number, place: left.get(number) ?? open() };
  }

  function leave(): void {
    left.delete(here.number);
    left.set(here.number, { ...here.place, scrollY: page.scrollY });
    for (const oldest of left.keys()) if (left.size > MAX_PLACES) left.delete(oldest);
  }

  function mark(number: number): void {
    if (numberIn(page.history.state) !== number) page.history.replaceState({ place: number }, "");
  }

  return {
    here: () => here.place,
    move() {
      leave();
      here = arrive(newPlace);
    },
    moveWithin() {
      const { place } = here;
      leave();
      here = arrive(() => ({ ...place, scrollY: 0 }));
    },
    stay: () => mark(here.number),
  };
}

function newPlace(): Place {
  const signals = new Map<string, Signal>();
  return {
    scrollY: 0,
    kept<T>(name: string, initial: T): Signal<T> {
      const kept = (signals.get(name) as Signal<T> | undefined) ?? signal(initial);
      signals.set(name, kept as Signal);
      return kept;
    },
  };
}

function numberIn(state: unknown): number | undefined {
  return (state as { place?: number } | null)?.place;
}
