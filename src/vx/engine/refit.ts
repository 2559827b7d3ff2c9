/**
 * One fit: a model is fitted to the records' vectors, and all records are put into a new graph of reduced ones, beside the
 * graph that searches go on in. Made by Reduction; reads the former records, writes the new ones.
 *
 *   ids          taken between two changes; from here on the ids of changes are noted
 *   fit          to the vectors, or to as many as MAX_FIT_BYTES takes
 *   rebuild      every record that is there, in turns
 *   catch up     what was noted, until little is left, and the rest while changes are held back
 */
import { HnswGraph } from "../hnsw/hnsw-graph.ts";
import { MetadataIndex } from "../metadata/metadata-index.ts";
import { randomId } from "../storage/file-header.ts";
import type { Operation } from "../storage/operations.ts";
import { TurnClock } from "../turn-clock.ts";
import { Unapplied } from "./applier.ts";
import type { RecordsOptions } from "./empty-graph.ts";
import {
  CAUGHT_UP_AT_ONCE,
  FIT_MODEL_SHARE,
  MAX_CATCH_UPS,
  MAX_FIT_BYTES,
  MIN_COSINE_TARGET,
  REBUILT_TOGETHER,
} from "./limits.ts";
import { Originals } from "./originals.ts";
import { Records } from "./records.ts";
import { ReducedGraph } from "./reduced-graph.ts";
import type { Writer } from "./writer.ts";

export interface RefitParts {
  writer: Writer;
  options: RecordsOptions;
  /** Aborted, what is under way ends with its reason at the next turn. */
  signal: AbortSignal;
  onProgress(fraction: number): void;
}

/** What the model was fitted to, and what became of it. */
interface Sample {
  /** Row of each id. */
  rows: Map<bigint, number>;
  reduced: Float32Array;
}

export class Refit {
  readonly #parts: RefitParts;
  readonly #former: Records;
  /** Ids of changes that the new records have not seen. */
  readonly #changed = new Set<bigint>();
  #isNoting = false;
  #records: Records | undefined;

  constructor(parts: RefitParts) {
    this.#parts = parts;
    this.#former = parts.writer.records;
  }

  /** The records that it began with. */
  get former(): Records {
    return this.#former;
  }

  /** The new records; they hold what the former ones do while `caughtUp` does its work. */
  get records(): Records {
    if (this.#records === undefined) throw new RangeError("The new records are not made yet");
    return this.#records;
  }

  /** To be called for every change once it is applied. */
  note(operations: Operation[]): void {
    if (this.#isNoting) for (const { id } of operations) this.#changed.add(id);
  }

  /** Makes the new records. @throws VxError `capacity_exceeded`, and what fitModel throws */
  async make(): Promise<void> {
    const { writer, options, signal, onProgress } = this.#parts;
    const ids = await writer.between(() => {
      signal.throwIfAborted();
      this.#isNoting = true;
      return this.#former.ids();
    });
    const { facts } = this.#former;
    if (facts.reduction === undefined) throw new RangeError("The index does not reduce vectors");
    const { rows, vectors } = await this.#sample(ids);
    const { fitModel } = await import("../reduction/fit.ts");
    const settings = {
      ...facts.reduction,
      minTarget: facts.metric === "cosine" ? MIN_COSINE_TARGET : 1,
    };
    const { model, reduced } = await fitModel(vectors, facts.dimension, settings, {
      signal,
      onProgress: (fraction) => onProgress(fraction * FIT_MODEL_SHARE),
    });
    const { efSearch, quantization, threads } = options;
    const graph = new HnswGraph({ ...facts, dimension: model.target, efSearch, quantization }, threads);
    const stored = { model, kept: { id: randomId(), bytes: model.encode() } };
    const reducedGraph = new ReducedGraph(graph, stored, new Originals(facts.dimension));
    this.#records = new Records(facts, options, reducedGraph, await MetadataIndex.open());
    await this.#rebuild(ids, reducedGraph, { rows, reduced });
  }

  /**
   * Brings the new records to what the former ones hold, then does `work`, before any further change. Changes go on but
   * for the last of it.
   */
  async caughtUp<T>(work: () => T | Promise<T>): Promise<T> {
    const { writer, signal } = this.#parts;
    for (let round = 0; round < MAX_CATCH_UPS && this.#changed.size > CAUGHT_UP_AT_ONCE; round++) {
      await this.#bringOver();
    }
    return writer.between(async () => {
      signal.throwIfAborted();
      while (this.#changed.size > 0) await this.#bringOver();
      return work();
    });
  }

  /** Ends the threads of records that are not to be. */
  close(): void {
    this.#records?.close();
  }

  /** As they are read, in turns: what changes meanwhile is brought over later anyway. */
  async #sample(ids: BigUint64Array): Promise<{ rows: Map<bigint, number>; vectors: Float32Array }> {
    const { dimension } = this.#former.facts;
    const count = Math.min(ids.length, Math.max(1, Math.floor(MAX_FIT_BYTES / (dimension * 4))));
    const vectors = new Float32Array(count * dimension);
    const rows = new Map<bigint, number>();
    const clock = new TurnClock();
    for (let i = 0; i < count; i++) {
      const id = ids[Math.floor((i * ids.length) / count)] as bigint;
      const vector = this.#former.get(id)?.vector;
      if (vector !== undefined) {
        vectors.set(vector, rows.size * dimension);
        rows.set(id, rows.size);
      }
      if (clock.isOver) await this.#next(clock);
    }
    return { rows, vectors: vectors.subarray(0, rows.size * dimension) };
  }

  async #rebuild(ids: BigUint64Array, graph: ReducedGraph, { rows, reduced }: Sample): Promise<void> {
    const { target } = graph.model;
    const clock = new TurnClock();
    for (let start = 0; start < ids.length; start += REBUILT_TOGETHER) {
      const operations: Operation[] = [];
      for (const id of ids.subarray(start, start + REBUILT_TOGETHER)) {
        // What has changed comes later.
        const record = this.#changed.has(id) ? undefined : this.#former.get(id);
        if (record === undefined) continue;
        operations.push({ kind: "add", id, ...record });
        const row = rows.get(id);
        if (row !== undefined) graph.know(record.vector, reduced.slice(row * target, (row + 1) * target));
        if (clock.isOver) await this.#next(clock);
      }
      await this.#apply(operations);
      const done = Math.min(1, (start + REBUILT_TOGETHER) / ids.length);
      this.#parts.onProgress(FIT_MODEL_SHARE + (1 - FIT_MODEL_SHARE) * done);
      if (clock.isOver) await this.#next(clock);
    }
  }

  async #bringOver(): Promise<void> {
    const ids = [...this.#changed];
    this.#changed.clear();
    const clock = new TurnClock();
    for (let start = 0; start < ids.length; start += REBUILT_TOGETHER) {
      const operations: Operation[] = [];
      for (const id of ids.slice(start, start + REBUILT_TOGETHER)) {
        const record = this.#former.get(id);
        operations.push(record === undefined ? { kind: "delete", id } : { kind: "add", id, ...record });
        if (clock.isOver) await this.#next(clock);
      }
      await this.#apply(operations);
    }
  }

  async #apply(operations: Operation[]): Promise<void> {
    try {
      await this.records.apply(operations);
    } catch (error) {
      // Nothing was stored that would have to be taken back.
      throw error instanceof Unapplied ? error.cause : error;
    }
    this.#parts.signal.throwIfAborted();
  }

  async #next(clock: TurnClock): Promise<void> {
    await clock.next();
    this.#parts.signal.throwIfAborted();
  }
}
