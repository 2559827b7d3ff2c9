/** Sharing one thread: turns for others, and tasks one after another. Called all over this folder. */

/** Settles after other events of this thread had their turn. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

/** Runs work to its end, with pauses where it allows them. */
export type InTurns = <T>(turns: Generator<void, T>) => Promise<T>;

/** Runs work to its end without pauses. */
export function atOnce<T>(turns: Generator<void, T>): T {
  for (;;) {
    const next = turns.next();
    if (next.done) return next.value;
  }
}

/** Runs tasks one after another, in the order given, whether they succeed or not. */
export class Serial {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#last.then(task);
    this.#last = result.then(
      () => undefined,
      () => undefined,
    );
    return result;
  }
}
