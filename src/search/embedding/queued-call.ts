/** One call to embed, as it goes through the queue batch by batch. Made and driven by ModelQueue. */
import { MAX_TEXT_CHARS } from "./limits.ts";

interface CallHooks {
  signal: AbortSignal | undefined;
  onAbort: () => void;
  onWork: ((tookMs: number) => void) | undefined;
}

export class QueuedCall {
  readonly #texts: readonly string[];
  readonly #onWork: CallHooks["onWork"];
  readonly result: Promise<Float32Array>;
  #resolve: (embeddings: Float32Array) => void = () => {};
  #reject: (reason: unknown) => void = () => {};
  #embeddings: Float32Array | undefined;
  #done = 0;
  #isOver = false;

  constructor(texts: readonly string[], { signal, onAbort, onWork }: CallHooks) {
    this.#texts = texts;
    this.#onWork = onWork;
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    const abort = () => {
      this.fail(signal?.reason);
      onAbort();
    };
    signal?.addEventListener("abort", abort);
    const forget = () => signal?.removeEventListener("abort", abort);
    this.result.then(forget, forget);
  }

  /** Whether it is answered or has failed. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** The texts that are due, each as long as is read. */
  nextBatch(maxTexts: number): string[] {
    const batch = this.#texts.slice(this.#done, this.#done + maxTexts);
    return batch.map((text) => text.slice(0, MAX_TEXT_CHARS));
  }

  /** `embeddings`: of the last batch, and how long the model worked for them. */
  take(embeddings: Float32Array, batchTexts: number, tookMs: number): void {
    this.#onWork?.(tookMs);
    if (this.#isOver) return;
    const dimension = embeddings.length / batchTexts;
    this.#embeddings ??= new Float32Array(this.#texts.length * dimension);
    this.#embeddings.set(embeddings, this.#done * dimension);
    this.#done += batchTexts;
    if (this.#done < this.#texts.length) return;
    this.#isOver = true;
    this.#resolve(this.#embeddings);
  }

  fail(reason: unknown): void {
    this.#isOver = true;
    this.#reject(reason);
  }
}
