/**
 * One model for all who ask: queries first, then the background, one batch at a time. Made by the runtimes' openEmbedder;
 * calls RemoteModel. The model's thread starts with the first call, is ended after a while without one, and starts anew
 * with the next. Where the host has no memory for it while files are moved, the background waits until they are, and the
 * thread stays for queries alone.
 */
import type { ServingThread } from "../serving-thread.ts";
import type { Embedder, TwoSpeedEmbedder } from "./embedder.ts";
import { EmbeddingError } from "./errors.ts";
import {
  BACKGROUND_BATCH_MS,
  BACKGROUND_IDLE_MS,
  BACKGROUND_PAUSE_SHARE,
  CROWD_LOOK_MS,
  IDLE_MS,
  LOOK_MS,
  MAX_BACKGROUND_PAUSE_MS,
  MAX_BATCH_TEXTS,
  MAX_WAITING_CALLS,
  START_RETRY_MS,
  TYPING_MS,
} from "./limits.ts";
import { QueuedCall } from "./queued-call.ts";
import { RemoteModel } from "./remote-model.ts";
import type { ModelCard } from "./serve-model.ts";

interface ModelQueueOptions {
  /** Of a model of one's own. */
  folder?: string;
  /** For a host that is short of memory: whether what the thread holds is needed for other things now. */
  isCrowded?: () => boolean;
}

export class ModelQueue implements TwoSpeedEmbedder {
  readonly background: Embedder;
  readonly #card: ModelCard;
  readonly #startThread: () => ServingThread;
  readonly #folder: string | undefined;
  readonly #isCrowded: (() => boolean) | undefined;
  readonly #queries: QueuedCall[] = [];
  readonly #inBackground: QueuedCall[] = [];
  #model: Promise<RemoteModel> | undefined;
  /** When a model that failed to start is tried again. */
  #triedAgainMs = Number.POSITIVE_INFINITY;
  #isRunning = false;
  #isClosed = false;
  /** Texts of the next background batch, so that it takes about BACKGROUND_BATCH_MS. */
  #backgroundTexts = 1;
  #endPause: (() => void) | undefined;
  #lastCallMs = Number.NEGATIVE_INFINITY;
  #lastQueryMs = Number.NEGATIVE_INFINITY;
  #looking: ReturnType<typeof setTimeout> | undefined;

  private constructor(card: ModelCard, startThread: () => ServingThread, options: ModelQueueOptions) {
    this.#card = card;
    this.#startThread = startThread;
    this.#folder = options.folder;
    this.#isCrowded = options.isCrowded;
    this.background = {
      ...card,
      embed: (texts, signal, onWork) => this.#embed(this.#inBackground, texts, signal, onWork),
    };
  }

  /** For the model that comes with Shoal, whose card is known: nothing starts before the first call. */
  static onDemand(
    card: ModelCard,
    startThread: () => ServingThread,
    options: Omit<ModelQueueOptions, "folder"> = {},
  ): ModelQueue {
    return new ModelQueue(card, startThread, options);
  }

  /** Loads the model in the folder to see what it is. @throws EmbeddingError `bad_model`, `unavailable` */
  static async open(
    folder: string,
    startThread: () => ServingThread,
    options: Omit<ModelQueueOptions, "folder"> = {},
  ): Promise<ModelQueue> {
    const model = await RemoteModel.open(startThread, folder);
    const queue = new ModelQueue(model.card, startThread, { ...options, folder });
    queue.#model = Promise.resolve(model);
    queue.#lastCallMs = performance.now();
    queue.#forgetOnceEnded(queue.#model);
    queue.#lookSoon();
    return queue;
  }

  get dimension(): number {
    return this.#card.dimension;
  }

  get modelId(): string {
    return this.#card.modelId;
  }

  embed(
    texts: readonly string[],
    signal?: AbortSignal,
    onWork?: (tookMs: number) => void,
  ): Promise<Float32Array> {
    return this.#embed(this.#queries, texts, signal, onWork);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#looking);
    const closed = new EmbeddingError("closed", "The embedder is closed");
    for (const call of [...this.#queries.splice(0), ...this.#inBackground.splice(0)]) call.fail(closed);
    this.#endPause?.();
    await this.#endModel();
  }

  async #embed(
    queue: QueuedCall[],
    texts: readonly string[],
    signal: AbortSignal | undefined,
    onWork: ((tookMs: number) => void) | undefined,
  ): Promise<Float32Array> {
    signal?.throwIfAborted();
    if (this.#isClosed) throw new EmbeddingError("closed", "The embedder is closed");
    if (texts.length === 0) return new Float32Array(0);
    if (queue.length === MAX_WAITING_CALLS) {
      throw new EmbeddingError("unavailable", `${MAX_WAITING_CALLS} calls wait for the model already`);
    }
    const leave = () => {
      const at = queue.indexOf(call);
      if (at >= 0) queue.splice(at, 1);
    };
    const call = new QueuedCall(texts, { signal, onAbort: leave, onWork });
    queue.push(call);
    if (queue === this.#queries) this.#endPause?.();
    void this.#run();
    return call.result;
  }

  /** Works until nobody waits; at most one at a time does. */
  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    clearTimeout(this.#looking);
    for (let queue = this.#next(); queue !== undefined; queue = this.#next()) {
      const call = queue[0] as QueuedCall;
      const isBackground = queue === this.#inBackground;
      const tookMs = await this.#runBatch(call, isBackground ? this.#backgroundTexts : MAX_BATCH_TEXTS);
      if (call.isOver && queue[0] === call) queue.shift();
      this.#lastCallMs = performance.now();
      if (isBackground) await this.#pause(tookMs);
      else this.#lastQueryMs = this.#lastCallMs;
    }
    this.#isRunning = false;
    this.#lookSoon();
  }

  #next(): QueuedCall[] | undefined {
    if (this.#queries.length > 0) return this.#queries;
    return this.#inBackground.length > 0 && !this.#isCrowded?.() ? this.#inBackground : undefined;
  }

  /** Returns the time that the model took. */
  async #runBatch(call: QueuedCall, maxTexts: number): Promise<number> {
    try {
      const model = await this.#start();
      const batch = call.nextBatch(maxTexts);
      const startedMs = performance.now();
      const embeddings = await model.embed(batch);
      const tookMs = performance.now() - startedMs;
      call.take(embeddings, batch.length, tookMs);
      const affordable = Math.floor((batch.length * BACKGROUND_BATCH_MS) / Math.max(tookMs, 1));
      this.#backgroundTexts = Math.min(MAX_BATCH_TEXTS, Math.max(1, affordable));
      return tookMs;
    } catch (error) {
      call.fail(this.#isClosed ? new EmbeddingError("closed", "The embedder is closed") : error);
      return 0;
    }
  }

  /** Lets others have the processor; a query ends it. */
  #pause(tookMs: number): Promise<void> {
    if (this.#queries.length > 0 || this.#isClosed) return Promise.resolve();
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#endPause = undefined;
        resolve();
      };
      const timer = setTimeout(end, Math.min(tookMs * BACKGROUND_PAUSE_SHARE, MAX_BACKGROUND_PAUSE_MS));
      this.#endPause = end;
    });
  }

  /** A start that failed answers for a while, so that it isn't tried for every call. */
  #start(): Promise<RemoteModel> {
    if (this.#isClosed) throw new EmbeddingError("closed", "The embedder is closed");
    if (this.#model !== undefined && performance.now() < this.#triedAgainMs) return this.#model;
    this.#triedAgainMs = Number.POSITIVE_INFINITY;
    const model = RemoteModel.open(this.#startThread, this.#folder);
    this.#model = model;
    this.#forgetOnceEnded(model);
    return model;
  }

  #forgetOnceEnded(model: Promise<RemoteModel>): void {
    model.then(
      async ({ ended }) => {
        await ended;
        if (this.#model === model) this.#model = undefined;
      },
      () => {
        this.#triedAgainMs = performance.now() + START_RETRY_MS;
      },
    );
  }

  #lookSoon(): void {
    if (this.#isClosed || (this.#model === undefined && this.#inBackground.length === 0)) return;
    const canBeInTheWay = this.#isCrowded !== undefined && this.#model !== undefined;
    this.#looking = setTimeout(() => this.#look(), canBeInTheWay ? CROWD_LOOK_MS : LOOK_MS);
  }

  /** Goes on in the background when it may; ends a thread that idles or is in the way. */
  #look(): void {
    if (this.#next() !== undefined) {
      void this.#run();
      return;
    }
    if (this.#isInTheWay(performance.now())) void this.#endModel();
    this.#lookSoon();
  }

  #isInTheWay(nowMs: number): boolean {
    const idleMs = nowMs - this.#lastCallMs;
    const sinceQueryMs = nowMs - this.#lastQueryMs;
    if (idleMs >= IDLE_MS) return true;
    if (this.#isCrowded === undefined) return false;
    if (sinceQueryMs >= IDLE_MS && idleMs >= BACKGROUND_IDLE_MS) return true;
    return sinceQueryMs >= TYPING_MS && this.#isCrowded();
  }

  async #endModel(): Promise<void> {
    const model = this.#model;
    this.#model = undefined;
    try {
      await (await model)?.end();
    } catch (error) {
      // What never started has nothing to end; whoever asked for it was told.
      if (!(error instanceof EmbeddingError)) throw error;
    }
  }
}
