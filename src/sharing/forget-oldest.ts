/**
 * Bounds what is remembered of others, who may be any number. Called by whatever keeps a map or a set in the order of
 * their coming.
 */

/** Where there is one too many, the first goes. Gives its key. */
export function forgetOldest<K>(kept: Map<K, unknown> | Set<K>, most: number): K | undefined {
  if (kept.size <= most) return undefined;
  for (const oldest of kept.keys()) {
    kept.delete(oldest);
    return oldest;
  }
  return undefined;
}
