/** Which points share a colour: those with the same value of a key of their metadata. Called by picture-panel. */
import { PEER_HUES } from "../drawings/limits.ts";
import type { PictureEntry } from "./picture.ts";

export interface Colouring {
  /** For each point a hue from 1; 0 for values beyond the palette. */
  hues: Uint8Array | undefined;
  /** The values that have a hue, in the order of hues. */
  names: readonly string[];
}

/** Keys worth colouring by: with at least two values and no more than there are hues. */
export function hueKeys(entries: readonly PictureEntry[]): string[] {
  const valuesOf = new Map<string, Set<string>>();
  for (const { metadata } of entries) {
    for (const [key, value] of Object.entries(metadata)) {
      const values = valuesOf.get(key) ?? new Set();
      if (values.size <= PEER_HUES) values.add(nameOf(value));
      valuesOf.set(key, values);
    }
  }
  return [...valuesOf].filter(([, { size }]) => size > 1 && size <= PEER_HUES).map(([key]) => key);
}

export function huesBy(entries: readonly PictureEntry[], key: string): Colouring {
  if (key === "") return { hues: undefined, names: [] };
  const hueOf = new Map<string, number>();
  const hues = Uint8Array.from(entries, ({ metadata }) => {
    if (!Object.hasOwn(metadata, key)) return 0;
    const name = nameOf(metadata[key]);
    const known = hueOf.get(name);
    if (known !== undefined) return known;
    const hue = hueOf.size < PEER_HUES ? hueOf.size + 1 : 0;
    hueOf.set(name, hue);
    return hue;
  });
  return { hues, names: [...hueOf].filter(([, hue]) => hue > 0).map(([name]) => name) };
}

function nameOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
