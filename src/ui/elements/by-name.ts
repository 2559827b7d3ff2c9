/** The order of names: as people count, "part 2" before "part 10". Called by the lists. */
const collator = new Intl.Collator(undefined, { numeric: true });

export function byName(a: { name: string }, b: { name: string }): number {
  return collator.compare(a.name, b.name);
}

export function byPath(a: { path: string }, b: { path: string }): number {
  return collator.compare(a.path, b.path);
}
