/** A model for tests of the queue: served over a port as in a thread, but in this process, and driven by the test. */
import { MessageChannel } from "node:worker_threads";
import type { Endpoint } from "comlink";
import type { TextModel } from "../../src/search/embedding/model/text-model.ts";
import { serveModel } from "../../src/search/embedding/serve-model.ts";
import type { ServingThread } from "../../src/search/serving-thread.ts";

export const CARD = { dimension: 2, modelId: "served" };

/** What a text becomes: its length and 1, not of unit length, so that tests can read it. */
export function embeddingOf(text: string): number[] {
  return [text.length, 1];
}

export class ServedModels {
  /** Batches as they came, of all threads. */
  readonly batches: string[][] = [];
  /** Threads started, and those of them that were ended. */
  started = 0;
  ended = 0;
  /** Fails each start with it. */
  failure: Error | undefined;
  #held: Promise<void> | undefined;
  #release = () => {};
  #arrived = () => {};
  #crash: ((reason: Error) => void) | undefined;

  /** No batch is answered before the function that is returned is called. */
  hold(): () => void {
    this.#held = new Promise((resolve) => {
      this.#release = resolve;
    });
    return () => {
      this.#held = undefined;
      this.#release();
    };
  }

  /** Settles with the next batch. */
  nextBatch(): Promise<void> {
    return new Promise((resolve) => {
      this.#arrived = resolve;
    });
  }

  /** The last thread ends by itself. */
  crash(): void {
    this.#crash?.(new Error("out of memory"));
  }

  readonly startThread = (): ServingThread => {
    this.started++;
    const { port1, port2 } = new MessageChannel();
    serveModel(port2 as unknown as Endpoint, async () => {
      if (this.failure !== undefined) throw this.failure;
      return this.#model;
    });
    let settle: (reason: Error | undefined) => void = () => {};
    const ended = new Promise<Error | undefined>((resolve) => {
      settle = resolve;
    });
    const stop = (reason?: Error) => {
      port1.close();
      settle(reason);
    };
    this.#crash = stop;
    const end = async () => {
      this.ended++;
      stop();
    };
    return { port: port1 as unknown as Endpoint, ended, setBusy() {}, end };
  };

  readonly #model: TextModel = {
    ...CARD,
    embed: async (texts) => {
      this.batches.push([...texts]);
      this.#arrived();
      await this.#held;
      return Float32Array.from(texts.flatMap(embeddingOf));
    },
  };
}
