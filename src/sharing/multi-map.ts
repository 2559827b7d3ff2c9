/** Several values under one key, each once, in the order in which they came; a key without values takes no room. */
export class MultiMap<V> {
  readonly #sets = new Map<string, Set<V>>();

  add(key: string, value: V): void {
    const set = this.#sets.get(key);
    if (set === undefined) this.#sets.set(key, new Set([value]));
    else set.add(value);
  }

  delete(key: string, value: V): void {
    const set = this.#sets.get(key);
    if (set?.delete(value) && set.size === 0) this.#sets.delete(key);
  }

  get(key: string): V[] {
    return [...(this.#sets.get(key) ?? [])];
  }
}
