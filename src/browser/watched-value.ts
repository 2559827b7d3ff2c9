/** A value that changes and is told of: to each listener at once, then at each change. Used all over the page's host. */
export class WatchedValue<T> {
  readonly #listeners = new Set<(value: T) => void>();
  #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  set(value: T): void {
    this.#value = value;
    for (const listener of [...this.#listeners]) listener(value);
  }

  subscribe(listener: (value: T) => void): () => void {
    this.#listeners.add(listener);
    listener(this.#value);
    return () => this.#listeners.delete(listener);
  }

  /** Settles once the value, as it is or becomes, is one that is waited for. */
  until(isAwaited: (value: T) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const listener = (value: T) => {
        if (!isAwaited(value)) return;
        this.#listeners.delete(listener);
        resolve();
      };
      this.#listeners.add(listener);
      listener(this.#value);
    });
  }
}
