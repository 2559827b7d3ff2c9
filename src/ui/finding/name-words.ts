/** What is typed to find files, and whether a name has it, as the node's search has it. Pure; called by matching. */
import { fold, spelledOut } from "../../spelling/fold.ts";
import { hasPhrase, quotedPhrases, withoutPhrases } from "../../spelling/phrases.ts";

/** As cameras and programs write a day: `20240801`, `2024.08.01`; a number that is longer is none. */
const DAY = /(?<!\p{N})((?:19|20)\d\d)[-._]?(0[1-9]|1[0-2])[-._]?(0[1-9]|[12]\d|3[01])(?!\p{N})/gu;

/** What is looked for: each word anywhere in a name, each phrase as it stands there. */
export interface Wanted {
  words: readonly string[];
  phrases: readonly string[];
}

export function wantedIn(typed: string): Wanted {
  const words = datesApart(fold(withoutPhrases(typed))).split(/\s+/);
  return { words: words.filter((word) => word !== ""), phrases: quotedPhrases(typed) };
}

/**
 * `Müller` is found by Muller and by Mueller, `20240801` by 2024-08. Nothing is found by signs alone, as by the first quote of a
 * phrase.
 */
export function hasAll(name: string, { words, phrases }: Wanted): boolean {
  if (words.length + phrases.length === 0) return false;
  const folded = fold(name);
  const spellings = [folded, datesApart(folded), fold(spelledOut(name))];
  return (
    words.every((word) => spellings.some((spelling) => spelling.includes(word))) &&
    phrases.every((phrase) => spellings.some((spelling) => hasPhrase(spelling, phrase)))
  );
}

/** Year, month and day with a hyphen between them, however they were joined. */
function datesApart(text: string): string {
  return text.replace(DAY, "$1-$2-$3");
}
