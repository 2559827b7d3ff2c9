/** Which folders are open, after one of them was clicked. Called by the screens that have folders in their lists. */
export function toggled(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  return new Set(ids.has(id) ? [...ids].filter((other) => other !== id) : [...ids, id]);
}
