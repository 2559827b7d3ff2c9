/**
 * When an index is opened, and what there is of it before: at once, or by the first call that needs it; and when it is opened
 * again. Made by Vx; calls the runtime's host.
 */
import type { EngineSettings } from "./config.ts";
import type { Engine, Health, IndexDescription, Metrics } from "./engine/engine.ts";
import { VxError } from "./errors.ts";
import { REOPEN_EVERY_MS } from "./limits.ts";
import { unopenedHealth, unopenedMetrics } from "./unopened.ts";

/** What the runtime gives the library: threads and media are its matter. */
export interface VxHost {
  /** Opens the index and starts what serves it. @throws VxError as Vx.ready says */
  startEngine(settings: EngineSettings): Promise<StartedEngine>;
}

export interface StartedEngine extends Engine {
  /** Of one in a thread: settles when that has ended, with the reason if it did so by itself. */
  readonly ended?: Promise<Error | undefined>;
}

export interface OpenOptions {
  /** False: only an index that is there is opened. Default true. */
  create?: boolean | undefined;
  /**
   * True: opened by the first call that needs it, and by the next one where that failed; until then metrics and health
   * are those of an empty index. For an index that is not there yet and may never be used.
   */
  onDemand?: boolean | undefined;
  /**
   * True: what is stored is opened again at once where its thread is lost, and by the next call, a while later, where
   * that does not help. For a caller who remembers nothing of what the index held.
   */
  reopen?: boolean | undefined;
  /** True: metadata is given as its text alone, which metadataText tells, and is not parsed. For who passes it on. */
  passesTexts?: boolean | undefined;
}

export interface OpenIndex {
  engine: Engine;
  description: IndexDescription;
}

export class Opening {
  readonly #settings: EngineSettings;
  readonly #host: VxHost;
  readonly #onDemand: boolean;
  readonly #reopens: boolean;
  readonly #startMs = performance.now();
  #opened: Promise<OpenIndex> | undefined;
  #current: OpenIndex | undefined;
  #closing: Promise<void> | undefined;
  /** Whether anything was asked for that needs the engine. */
  #isWanted = false;
  /** Its thread ended by itself, and it has not been opened since. */
  #isLost = false;
  #reopenedMs = Number.NEGATIVE_INFINITY;

  constructor(settings: EngineSettings, host: VxHost, { onDemand = false, reopen = false }: OpenOptions) {
    this.#settings = settings;
    this.#host = host;
    this.#onDemand = onDemand;
    // One in memory is gone with its thread, and an empty one in its place would hide that.
    this.#reopens = reopen && settings.storagePath !== undefined;
    // What it throws is told to whoever calls a method.
    if (!onDemand) this.open().catch(() => undefined);
  }

  /** Nobody needed the index yet. */
  get isUntouched(): boolean {
    return !this.#isWanted && this.#closing === undefined;
  }

  /** The index, where it is open: calls then begin at once, in their order and with their arguments as they are. */
  get now(): OpenIndex | undefined {
    return this.#closing === undefined ? this.#current : undefined;
  }

  /** Whether an index that is made now will reduce its vectors. */
  get reduces(): boolean {
    return this.#settings.reduction.enabled === true;
  }

  get emptyHealth(): Health {
    return unopenedHealth(this.#settings);
  }

  get emptyMetrics(): Metrics {
    return unopenedMetrics(this.#settings, this.uptimeSeconds);
  }

  get uptimeSeconds(): number {
    return Math.floor((performance.now() - this.#startMs) / 1000);
  }

  /** @throws what Vx.ready throws, VxError `unavailable` (closed, or lost again too soon) */
  open(): Promise<OpenIndex> {
    if (this.#closing !== undefined) return Promise.reject(new VxError("unavailable", "The index is closed"));
    this.#isWanted = true;
    if (this.#opened !== undefined) return this.#opened;
    const opened = this.#start();
    this.#opened = opened;
    opened.catch(() => {
      if (this.#onDemand || this.#isLost) this.#opened = undefined;
    });
    return opened;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #start(): Promise<OpenIndex> {
    try {
      if (this.#isLost) this.#countReopening();
      const engine = await this.#host.startEngine(this.#settings);
      this.#current = { engine, description: await engine.describe() };
      this.#isLost = false;
      void engine.ended?.then((reason) => reason && this.#lose());
      return this.#current;
    } catch (error) {
      if (error instanceof VxError && error.code === "unavailable") this.#isLost ||= this.#reopens;
      else this.#reopenedMs = Number.NEGATIVE_INFINITY;
      throw error;
    }
  }

  #lose(): void {
    if (!this.#reopens) return;
    this.#isLost = true;
    this.#current = undefined;
    this.#opened = undefined;
    // What it throws is told to whoever calls a method.
    this.open().catch(() => undefined);
  }

  /** An index that is lost whenever it is loaded would keep a processor at it. @throws VxError `unavailable` */
  #countReopening(): void {
    const nowMs = performance.now();
    if (nowMs - this.#reopenedMs < REOPEN_EVERY_MS) {
      throw new VxError(
        "unavailable",
        "The index's thread was lost again soon after it was started anew: the next start is a minute after that one",
      );
    }
    this.#reopenedMs = nowMs;
  }

  async #close(): Promise<void> {
    const [opened] = await Promise.allSettled([this.#opened]);
    if (opened.status === "fulfilled") await opened.value?.engine.close();
  }
}
