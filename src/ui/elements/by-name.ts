/** The order of names: as people count, "part 2" before "part 10". Called by the lists. */
const collator = new Intl.Collator(undefined, { numeric: true });

export function byName(a: { name: string }, b: { name: string }): number {
  return collator.compare(a.name, b.name);
}

/** Of one name those that are told apart by their ids alone stay as they are when others come and go. */
export function byNameAndId(a: { name: string; id: string }, b: { name: string; id: string }): number {
  return byName(a, b) || (a.id < b.id ? -1 : 1);
}

export function byPath(a: { path: string }, b: { path: string }): number {
  return collator.compare(a.path, b.path);
}
