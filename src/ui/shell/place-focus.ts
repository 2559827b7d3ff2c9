/**
 * Where keys were on a screen, for who goes back to it: in which row of a list, and at what in it. Who has keys alone
 * would begin a list of hundreds at its top again. Called by the shell; calls places.
 */
import type { Signal } from "@preact/signals";
import type { Place } from "../places.ts";
import { REACHABLE } from "./keep-focus.ts";

interface Spot {
  /** `data-thing` of the row. */
  thing: string | undefined;
  /** Which of its rows: a folder may have it under several paths. */
  nth: number;
  /** Which of what keys reach in it. */
  at: number;
  /** How far below the beginning of the page the row stood, in CSS pixels. */
  topPx: number;
}

/** Runs until the function returned is called. */
export function rememberSpots(main: HTMLElement, place: Place): () => void {
  const remember = ({ target }: FocusEvent) => {
    // A menu is closed for who comes back: its button is where they were.
    if (!(target instanceof HTMLElement) || target.role === "menuitem") return;
    const row = target.closest<HTMLElement>("[data-thing]");
    const isByKey = row !== null && target.matches(":focus-visible");
    spotOf(place).value = isByKey ? spotIn(main, row, target) : undefined;
  };
  main.addEventListener("focusin", remember);
  return () => main.removeEventListener("focusin", remember);
}

/** Of a row that is gone, or of a long list not drawn yet, the nearest. Undefined where keys were in no row, or there is none. */
export function rememberedSpot(main: HTMLElement, place: Place): HTMLElement | undefined {
  const spot = spotOf(place).value;
  if (spot === undefined) return undefined;
  const rows = rowsOf(main, spot.thing);
  const row = rows[spot.nth] ?? rows[0] ?? nearestRow(main, spot.topPx);
  const reachable = row === undefined ? [] : reachableIn(row);
  // The end of a long folder stands behind fewer files than it did.
  return reachable[spot.at] ?? reachable.at(-1);
}

function spotIn(main: HTMLElement, row: HTMLElement, target: HTMLElement): Spot {
  const { thing } = row.dataset;
  return {
    thing,
    nth: rowsOf(main, thing).indexOf(row),
    at: reachableIn(row).indexOf(target),
    topPx: topPxOf(row),
  };
}

function rowsOf(main: HTMLElement, thing: string | undefined): HTMLElement[] {
  return allRows(main).filter(({ dataset }) => dataset.thing === thing);
}

function nearestRow(main: HTMLElement, topPx: number): HTMLElement | undefined {
  const distances = allRows(main).map((row) => ({ row, px: Math.abs(topPxOf(row) - topPx) }));
  return distances.sort((a, b) => a.px - b.px)[0]?.row;
}

function allRows(main: HTMLElement): HTMLElement[] {
  return [...main.querySelectorAll<HTMLElement>("[data-thing]")];
}

function topPxOf(row: HTMLElement): number {
  return row.getBoundingClientRect().top + scrollY;
}

function spotOf(place: Place): Signal<Spot | undefined> {
  return place.kept<Spot | undefined>("focus", undefined);
}

function reachableIn(row: HTMLElement): HTMLElement[] {
  return [...row.querySelectorAll<HTMLElement>(REACHABLE)];
}
