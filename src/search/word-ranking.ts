/**
 * Files by the query's words in what they hold, best first: those whose beginning has all of them, then those that have them
 * anywhere, then those whose beginning has some. Pure; called by file-search.
 */
import type { WordHit } from "./names/name-index.ts";
import type { NearFile } from "./nearest-files.ts";

/**
 * `texts`: files with all of the words, of which nothing tells the better one but `near`, those nearest by meaning,
 * best first.
 */
export function joinWords(
  excerpts: readonly WordHit[],
  texts: readonly string[],
  near: readonly Pick<NearFile, "fileId">[] = [],
): WordHit[] {
  const whole = excerpts.filter(({ coverage }) => coverage === 1);
  const known = new Set(whole.map(({ fileId }) => fileId));
  const places = new Map(near.map(({ fileId }, place) => [fileId, place]));
  const placeOf = (fileId: string) => places.get(fileId) ?? places.size;
  const anywhere = texts
    .filter((fileId) => !known.has(fileId))
    .sort((a, b) => placeOf(a) - placeOf(b) || (a < b ? -1 : 1));
  const found = new Set([...known, ...anywhere]);
  return [
    ...whole,
    ...anywhere.map((fileId) => ({ fileId, coverage: 1 })),
    ...excerpts.filter(({ fileId }) => !found.has(fileId)),
  ];
}
