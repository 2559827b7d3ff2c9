/** Which files of a list are shown for what was typed: by name, then as the node found them. Called by use-finding. */
import { hasAll, wantedIn } from "./name-words.ts";

export interface FindableFile {
  id: string;
  name: string;
  /** Of a hit: what in it fits. */
  excerpt?: string | undefined;
  why?: readonly ("name" | "content")[] | undefined;
}

/** Files whose name has every word, and what stands in quotes, in their order. Accents and case are no difference. */
export function matching<F extends FindableFile>(files: readonly F[], words: string): F[] {
  const wanted = wantedIn(words);
  return files.filter(({ name }) => hasAll(name, wanted));
}

/** What the node found, best first, and then the others whose names fit: it tells of its first hits alone. */
export function withNamesakes<F extends FindableFile>(
  hits: readonly F[],
  all: readonly F[],
  words: string,
): F[] {
  const found = freshHits(hits, all);
  const known = new Set(found.map(({ id }) => id));
  return [...found, ...matching(all, words).filter(({ id }) => !known.has(id))];
}

/** The latest state of a hit is that of the list, which is kept up to date. */
function freshHits<F extends FindableFile>(hits: readonly F[], all: readonly F[]): F[] {
  const known = new Map(all.map((file) => [file.id, file]));
  return hits.flatMap((hit) => {
    const now = known.get(hit.id);
    return now === undefined ? [] : [{ ...hit, ...now }];
  });
}
