/**
 * Runs tasks of one key one after another, and at most so many keys' tasks at once. Called by the block stores
 * of both builds, so that a put and a delete of one block never cross, and wherever else it is one thing's turn: that of a file
 * of which something is asked, of a peer that is told of, of a webhook.
 * Holds one entry a task under way or waiting, no more.
 */
export class KeyedQueue {
  readonly #tails = new Map<string, Promise<unknown>>();
  readonly #waiting: (() => void)[] = [];
  readonly #tasksAtOnce: number;
  #running = 0;

  constructor(tasksAtOnce: number) {
    this.#tasksAtOnce = tasksAtOnce;
  }

  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const previous = this.#tails.get(key);
    const current = this.#after(previous, task);
    this.#tails.set(key, current);
    try {
      return await current;
    } finally {
      if (this.#tails.get(key) === current) this.#tails.delete(key);
    }
  }

  /** Settles when every task that was given has ended. */
  async idle(): Promise<void> {
    while (this.#tails.size > 0) await Promise.allSettled(this.#tails.values());
  }

  async #after<T>(previous: Promise<unknown> | undefined, task: () => Promise<T>): Promise<T> {
    if (previous !== undefined) await Promise.allSettled([previous]);
    if (this.#running >= this.#tasksAtOnce) await new Promise<void>((go) => this.#waiting.push(go));
    else this.#running += 1;
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}
