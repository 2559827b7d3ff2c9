/** Sharing one thread: turns for others in the middle of what takes long. Called all over the index, and by who waits beside it. */

/**
 * Settles after other events of this thread had their turn. No timer: those wait for 1 to 4 ms, and a hidden page's for
 * a second.
 */
export function nextTurn(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
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
