/**
 * Texts of documents, read in a thread: started with the first document, ended when it takes too long over one, when it has
 * nothing to do, and at the end. Made by meaning, called by file-texts for the indexer, which reads one document at a time.
 */
import * as Comlink from "comlink";
import type { Clock } from "../../sharing/ports.ts";
import { type Ask, askerOf, type ServingThread } from "../serving-thread.ts";
import { DOCUMENT_TIMEOUT_MS, HEAD_BYTES, THREAD_IDLE_MS } from "./limits.ts";
import type { ReadDocument, TextService } from "./serve-texts.ts";

interface Running {
  thread: ServingThread;
  ask: Ask<TextService>;
}

export class TextReader {
  readonly #startThread: () => ServingThread;
  readonly #clock: Clock;
  #running: Running | undefined;
  #idle = new AbortController();

  constructor(startThread: () => ServingThread, clock: Clock) {
    this.#startThread = startThread;
    this.#clock = clock;
  }

  /**
   * `bytes` are handed over. Takes at most DOCUMENT_TIMEOUT_MS, whatever the document is; one call at a time.
   * @throws Error where what reads such documents can't be loaded, for which it is given as long; the signal's reason
   */
  async read(name: string, bytes: Uint8Array<ArrayBuffer>, signal: AbortSignal): Promise<ReadDocument> {
    signal.throwIfAborted();
    this.#idle.abort();
    this.#idle = new AbortController();
    const { thread, ask } = this.#start();
    const head = bytes.slice(0, HEAD_BYTES);
    thread.setBusy(true);
    let isLoaded = false;
    try {
      await this.#inTime(
        ask((service) => service.load(name, head)),
        signal,
      );
      isLoaded = true;
      const document = await this.#inTime(
        ask(async (service) => await service.read(name, Comlink.transfer(bytes, [bytes.buffer]))),
        signal,
      );
      thread.setBusy(false);
      void this.#endWhenIdle(this.#idle.signal);
      return document;
    } catch (error) {
      await this.close();
      signal.throwIfAborted();
      const reason = error instanceof Error ? error.message : String(error);
      if (isLoaded) return { unreadable: reason };
      throw new Error(`what reads such documents can't be loaded: ${reason}`, { cause: error });
    }
  }

  async close(): Promise<void> {
    this.#idle.abort();
    const thread = this.#running?.thread;
    this.#running = undefined;
    await thread?.end();
  }

  #start(): Running {
    if (this.#running !== undefined) return this.#running;
    const thread = this.#startThread();
    const ask = askerOf<TextService>(thread, (reason) => reason ?? new Error("its reader was ended"));
    const running = { thread, ask };
    this.#running = running;
    void thread.ended.then(() => {
      if (this.#running === running) this.#running = undefined;
    });
    return running;
  }

  /** @throws what the call throws, the signal's reason, Error once the time is up */
  async #inTime<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
    const over = new AbortController();
    const late = this.#clock
      .sleep(DOCUMENT_TIMEOUT_MS, AbortSignal.any([signal, over.signal]))
      .then((): never => {
        throw new Error("it takes too long");
      });
    return await Promise.race([answer, late]).finally(() => over.abort());
  }

  async #endWhenIdle(signal: AbortSignal): Promise<void> {
    const isIdle = await this.#clock.sleep(THREAD_IDLE_MS, signal).then(
      () => true,
      () => false,
    );
    if (isIdle) await this.close();
  }
}
