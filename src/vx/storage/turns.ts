/** Sharing one thread: turns for others, and tasks one after another. Called all over this folder. */

/** Settles after other events of this thread had their turn. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
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
