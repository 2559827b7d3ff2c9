/**
 * The reduction of an index: when a model is fitted, and how it comes into force. Made by the engine, which tells it of
 * changes; calls Refit and the store.
 *
 *   Refit        the new records, beside those in use
 *   snapshot     of the new records: from here on an opening finds the model
 *   swap         what changed meanwhile is brought over, and searches go to the new records
 *
 * The journal holds vectors as they were added, and a snapshot both these and the reduced ones, so that whenever a process
 * ends the next opening comes to all that was acknowledged: before the snapshot without a model, which it fits again, and
 * behind it with this one. No model is used that is not stored.
 */
import { reductionDisabled, VxError } from "../errors.ts";
import type { ReductionModel } from "../reduction/model.ts";
import type { Serial } from "../serial.ts";
import type { IndexStore } from "../storage/index-store.ts";
import type { Operation } from "../storage/operations.ts";
import { TurnClock } from "../turn-clock.ts";
import type { RecordsOptions } from "./empty-graph.ts";
import { Refit } from "./refit.ts";
import type { Writer } from "./writer.ts";

export interface ReductionParts {
  store: IndexStore;
  writer: Writer;
  options: RecordsOptions;
  /** Snapshots, backups, restores: one at a time. */
  tasks: Serial;
  /** Called with the end of each fit that nobody gave up. */
  onEnd(error: unknown): void;
}

interface Running {
  refit: Refit;
  abort: AbortController;
  fraction: number;
  ended: Promise<void>;
}

export class Reduction {
  /** Models fitted since the index was opened. */
  fits = 0;
  readonly #parts: ReductionParts;
  #running: Running | undefined;
  /** After a fit that failed, vectors from which on the next one begins by itself. */
  #retryFrom = 0;
  /** Why none may begin, while it is so. */
  #pause: VxError | undefined;
  #isClosed = false;

  constructor(parts: ReductionParts) {
    this.#parts = parts;
  }

  /** Of the fit under way, 0 to 1; 0 where there is none. */
  get progress(): number {
    return this.#running?.fraction ?? 0;
  }

  /** Once one is in force. */
  get model(): ReductionModel | undefined {
    return this.#parts.writer.records.reduced?.model;
  }

  /** To be called for every change once it is applied, and at opening: begins the first fit when it is time. */
  changed(operations: Operation[] = []): void {
    this.#running?.refit.note(operations);
    const { facts } = this.#parts.store;
    const isBusy = this.#running !== undefined || this.#pause !== undefined;
    if (facts.reduction === undefined || isBusy || this.model !== undefined) return;
    const { count } = this.#parts.writer.records;
    if (count < Math.max(facts.reduction.fitAfter, this.#retryFrom)) return;
    // What it throws is told by the health check.
    this.#fit().catch(() => undefined);
  }

  /**
   * Fits a model to what is there now, in place of the one in force. Where a fit is under way it is that one.
   * @throws VxError `reduction_disabled`, `conflict` (too few vectors), `unavailable`, `capacity_exceeded`, `storage_full`
   */
  async refit(): Promise<void> {
    const { target } = this.#facts();
    await this.#givenUp();
    const { count } = this.#parts.writer.records;
    if (this.#running === undefined && count < Math.max(2 * target, 2)) {
      const message = `A model needs at least ${Math.max(2 * target, 2)} vectors to be fitted; there are ${count}`;
      throw new VxError("conflict", message);
    }
    await this.#fit();
  }

  /**
   * The vectors with fewer dimensions, in the order given; added nowhere.
   * @throws VxError `reduction_disabled`, `conflict` (no model yet), `invalid_vector`
   */
  async reduce(vectors: Float32Array[]): Promise<Float32Array[]> {
    const { fitAfter } = this.#facts();
    const { model } = this;
    if (vectors.length === 0) return [];
    if (model === undefined) {
      const { count } = this.#parts.writer.records;
      const state = this.#running === undefined ? `there are ${count}` : "it is being fitted";
      throw new VxError(
        "conflict",
        `Vectors are reduced once ${fitAfter} are there to fit a model to: ${state}`,
      );
    }
    const clock = new TurnClock();
    const reduced: Float32Array[] = [];
    for (const vector of vectors) {
      reduced.push(model.reduce(vector));
      if (clock.isOver) await clock.next();
    }
    return reduced;
  }

  /** Gives up the fit under way, and begins none until `resume`: other records come. Does not wait for its end. */
  pause(reason: string): void {
    this.#pause = new VxError("unavailable", `No model is fitted: ${reason}`);
    this.#running?.abort.abort(this.#pause);
  }

  resume(): void {
    if (this.#isClosed) return;
    this.#pause = undefined;
    this.#retryFrom = 0;
    this.changed();
  }

  /** Settles when nothing is under way any more, nor will be. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.pause("the index is closed");
    await Promise.allSettled([this.#running?.ended]);
  }

  #facts() {
    const { reduction } = this.#parts.store.facts;
    if (reduction !== undefined) return reduction;
    throw reductionDisabled();
  }

  /** Settles when no fit that was given up is still ending: who waits for that one would be told why it was given up. */
  async #givenUp(): Promise<void> {
    while (this.#running?.abort.signal.aborted) await Promise.allSettled([this.#running.ended]);
  }

  #fit(): Promise<void> {
    if (this.#pause !== undefined) return Promise.reject(this.#pause);
    this.#running ??= this.#start();
    return this.#running.ended;
  }

  #start(): Running {
    const { writer, options } = this.#parts;
    const abort = new AbortController();
    const onProgress = (fraction: number) => {
      running.fraction = fraction;
    };
    const refit = new Refit({ writer, options, signal: abort.signal, onProgress });
    const running: Running = { refit, abort, fraction: 0, ended: Promise.resolve() };
    running.ended = this.#run(running);
    return running;
  }

  async #run({ refit, abort: { signal } }: Running): Promise<void> {
    const { count } = this.#parts.writer.records;
    try {
      await refit.make();
      await this.#putIntoForce(refit, signal);
      this.fits++;
      this.#running = undefined;
      this.#parts.onEnd(undefined);
    } catch (error) {
      this.#running = undefined;
      refit.close();
      if (signal.aborted) {
        // Where the index was restored meanwhile, its new records may want a model.
        this.changed();
        throw signal.reason;
      }
      this.#retryFrom = 2 * count;
      this.#parts.onEnd(error);
      throw error;
    }
  }

  #putIntoForce(refit: Refit, signal: AbortSignal): Promise<void> {
    const { store, tasks, writer } = this.#parts;
    return tasks.run(async () => {
      signal.throwIfAborted();
      const { former } = refit;
      if (writer.records !== former)
        throw new VxError("internal", "The records were replaced in the middle of a fit");
      const sequence = await refit.caughtUp(() => writer.lastApplied);
      await store.snapshot(() => ({ ...refit.records.source(), sequence }));
      await refit.caughtUp(() => writer.put(refit.records));
      former.close();
    });
  }
}
