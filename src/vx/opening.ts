/**
 * When an index is opened, and what there is of it before: at once, or by the first call that needs it. Made by Vx; calls the
 * runtime's host.
 */
import type { EngineSettings } from "./config.ts";
import type { Engine, Health, IndexDescription, Metrics } from "./engine/engine.ts";
import { VxError } from "./errors.ts";
import { unopenedHealth, unopenedMetrics } from "./unopened.ts";

/** What the runtime gives the library: threads and media are its matter. */
export interface VxHost {
  /** Opens the index and starts what serves it. @throws VxError as Vx.ready says */
  startEngine(settings: EngineSettings): Promise<Engine>;
}

export interface OpenOptions {
  /** False: only an index that is there is opened. Default true. */
  create?: boolean;
  /**
   * True: opened by the first call that needs it, and by the next one where that failed; until then metrics and health
   * are those of an empty index. For an index that is not there yet and may never be used.
   */
  onDemand?: boolean;
}

export interface OpenIndex {
  engine: Engine;
  description: IndexDescription;
}

export class Opening {
  readonly #settings: EngineSettings;
  readonly #host: VxHost;
  readonly #onDemand: boolean;
  readonly #startMs = performance.now();
  #opened: Promise<OpenIndex> | undefined;
  #current: OpenIndex | undefined;
  #closing: Promise<void> | undefined;
  /** Whether anything was asked for that needs the engine. */
  #isWanted = false;

  constructor(settings: EngineSettings, host: VxHost, onDemand: boolean) {
    this.#settings = settings;
    this.#host = host;
    this.#onDemand = onDemand;
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

  /** @throws what Vx.ready throws, VxError `unavailable` (closed) */
  open(): Promise<OpenIndex> {
    if (this.#closing !== undefined) return Promise.reject(new VxError("unavailable", "The index is closed"));
    this.#isWanted = true;
    this.#opened ??= this.#start();
    return this.#opened;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #start(): Promise<OpenIndex> {
    try {
      const engine = await this.#host.startEngine(this.#settings);
      this.#current = { engine, description: await engine.describe() };
      return this.#current;
    } catch (error) {
      if (this.#onDemand) this.#opened = undefined;
      throw error;
    }
  }

  async #close(): Promise<void> {
    const [opened] = await Promise.allSettled([this.#opened]);
    if (opened.status === "fulfilled") await opened.value?.engine.close();
  }
}
