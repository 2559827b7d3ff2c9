/**
 * The start of a page's node, which ends early once another tab may lead: what is open by then is let go of at once, since a page
 * that is frozen goes on with its start only when it is woken up. Made by start-node.
 */
export class PageStart {
  readonly #onStep: (step: string) => void;
  readonly #signal: AbortSignal;
  readonly #over = new AbortController();

  /** `onStep`: told what is being opened. `signal`: another tab may lead. */
  constructor(onStep: (step: string) => void, signal: AbortSignal) {
    this.#onStep = onStep;
    this.#signal = signal;
  }

  /** @throws the signal's reason */
  begin(step: string): void {
    this.throwIfCutShort();
    this.#onStep(step);
  }

  /** @throws the signal's reason */
  throwIfCutShort(): void {
    this.#signal.throwIfAborted();
  }

  /** Gives back what it is given, and lets go of it where the start is cut short, also where it was before. */
  ifCutShort<T>(letGo: (opened: T) => void): (opened: T) => T {
    return (opened) => {
      const end = () => letGo(opened);
      if (this.#signal.aborted) end();
      else this.#signal.addEventListener("abort", end, { signal: this.#over.signal });
      return opened;
    };
  }

  /** From now on the node's own stop lets go of all. */
  end(): void {
    this.#over.abort();
  }
}
