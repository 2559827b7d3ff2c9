/**
 * The theme's colours for canvases, which know no custom properties and no light-dark(). Called by the canvas drawings;
 * calls the browser's own resolution of `color`.
 */
import { type ReadonlySignal, signal } from "@preact/signals";

let changes: ReadonlySignal<number> | undefined;

/** Counts changes of the theme: read it in an effect to draw anew. */
export function themeChanges(): ReadonlySignal<number> {
  if (changes !== undefined) return changes;
  const counted = signal(0);
  const changed = () => {
    counted.value += 1;
  };
  new MutationObserver(changed).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
  changes = counted;
  return changes;
}

/** What CSS colours such as `var(--ink)` mean at the element, in the order given, ready for a canvas. */
export function resolvedColours(element: HTMLElement, colours: readonly string[]): string[] {
  const before = element.style.color;
  const resolved = colours.map((colour) => {
    element.style.color = colour;
    return getComputedStyle(element).color;
  });
  element.style.color = before;
  return resolved;
}
