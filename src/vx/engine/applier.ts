/**
 * Applies batches to graph and metadata, each by a Change. Held by Records; called by the writer, by loading and by a fit.
 *
 *   at once     what takes no longer than a turn, or nobody reads yet
 *   in turns    what takes longer: hidden from all reading until it is in
 *   shared      large batches: all threads link what this one stages, in rounds between which few records leave
 */
import { TURN_MS } from "../limits.ts";
import type { Operation } from "../storage/operations.ts";
import { TurnClock } from "../turn-clock.ts";
import { Change } from "./change.ts";
import type { HeldRecords } from "./held-records.ts";
import {
  AVERAGE_WEIGHT,
  FIRST_INSERT_MS,
  MIN_SHARED_OPERATIONS,
  MOST_LEFT_SHARE,
  ROWS_A_LOOK,
} from "./limits.ts";

/** A batch that could not be applied. Nothing of it is left in memory. */
export class Unapplied extends Error {
  override readonly name = "Unapplied";
  /** What takes it back where it was stored. */
  readonly undone: Operation[];

  constructor(undone: Operation[], cause: unknown) {
    super("The batch could not be applied", { cause });
    this.undone = undone;
  }
}

/** A batch that was left in part, for the index closes. Reading goes on looking past it; nothing more may be applied. */
export class BrokenOff extends Error {
  override readonly name = "BrokenOff";
}

export class Applier {
  readonly #held: HeldRecords;
  /** Rows of metadata written in one go. */
  readonly #rowsTogether: number;
  #isClosing = false;
  #insertMs = FIRST_INSERT_MS;

  constructor(held: HeldRecords, rowsTogether: number) {
    this.#held = held;
    this.#rowsTogether = rowsTogether;
  }

  /** @throws Unapplied, BrokenOff */
  async apply(operations: Operation[], unread: boolean): Promise<boolean[]> {
    if (operations.length === 0) return [];
    const { graph, metadata, reduced } = this.#held;
    if (reduced !== undefined) await reduced.prepare(vectorsOf(operations), (clock) => this.#next(clock));
    const isShared = graph.hasHelpers && operations.length >= MIN_SHARED_OPERATIONS;
    const inTurns = isShared || (!unread && operations.length * this.#insertMs > TURN_MS);
    const change = new Change(graph, metadata, inTurns ? operations.length : 0);
    try {
      if (inTurns) await this.#applyInTurns(change, operations, isShared);
      else this.#applyAtOnce(change, operations);
    } catch (error) {
      if (error instanceof BrokenOff) throw error;
      try {
        // A full graph has no slots to take it back in until a copy that is being made lets go of them.
        while (inTurns && graph.isExported) await graph.released();
        change.undo();
      } finally {
        this.#end(change);
      }
      throw new Unapplied(this.#statesOf(operations), error);
    }
    this.#end(change);
    return change.existed;
  }

  /** Ends a batch that is being applied in turns at its next turn. */
  breakOff(): void {
    this.#isClosing = true;
  }

  #end(change: Change): void {
    this.#held.change = undefined;
    change.release();
  }

  #applyAtOnce(change: Change, operations: Operation[]): void {
    const { graph, metadata } = this.#held;
    const startMs = performance.now();
    if (graph.isExported && operations.some(({ kind }) => kind === "add")) {
      // Slots for all, and others for what may have to be taken back.
      graph.makeRoom(operations.length * 2);
    }
    for (const operation of operations) change.toGraph(operation);
    for (const rows of change.rowChunks(this.#rowsTogether)) metadata.setAll(rows);
    for (const slot of change.leftSlots()) metadata.delete(slot);
    this.#measure((performance.now() - startMs) / operations.length);
  }

  async #applyInTurns(change: Change, operations: Operation[], isShared: boolean): Promise<void> {
    const { metadata } = this.#held;
    const clock = new TurnClock();
    this.#held.change = change;
    if (isShared) await this.#linkTogether(change, operations, clock);
    else await this.#linkAlone(change, operations, clock);
    // SQLite's start and its first rows take longer than others: each has a turn of its own.
    await this.#next(clock);
    metadata.start();
    await this.#next(clock);
    for (const rows of change.rowChunks(Math.min(this.#rowsTogether, ROWS_A_LOOK))) {
      metadata.setAll(rows);
      if (clock.isOver) await this.#next(clock);
    }
    this.#held.change = undefined;
    for (const slot of change.leftSlots()) {
      metadata.delete(slot);
      // All of it is in: what is left of it is never broken off.
      if (clock.isOver) await clock.next();
    }
  }

  async #linkAlone(change: Change, operations: Operation[], clock: TurnClock): Promise<void> {
    for (const operation of operations) {
      const startMs = performance.now();
      change.toGraph(operation);
      this.#measure(performance.now() - startMs);
      if (clock.isOver) await this.#next(clock);
    }
  }

  async #linkTogether(change: Change, operations: Operation[], clock: TurnClock): Promise<void> {
    const { graph } = this.#held;
    let stagedCount = 0;
    let leftCount = 0;
    for (const operation of operations) {
      change.toGraph(operation, { staged: true });
      if (operation.kind === "add") stagedCount += 1;
      if (change.existed.at(-1)) leftCount += 1;
      if (leftCount > (graph.count - stagedCount) * MOST_LEFT_SHARE) {
        await graph.linkStaged(clock, () => this.#next(clock));
        stagedCount = 0;
        leftCount = 0;
      }
      if (clock.isOver) await this.#next(clock);
    }
    await graph.linkStaged(clock, () => this.#next(clock));
  }

  async #next(clock: TurnClock): Promise<void> {
    await clock.next();
    if (this.#isClosing) throw new BrokenOff();
  }

  /** What an insertion takes, of late. */
  #measure(insertMs: number): void {
    this.#insertMs += (insertMs - this.#insertMs) * AVERAGE_WEIGHT;
  }

  /** Operations that make the records of a batch what they are now. */
  #statesOf(operations: Operation[]): Operation[] {
    return Array.from(new Set(operations.map(({ id }) => id)), (id) => {
      const record = this.#held.get(id);
      return record === undefined ? { kind: "delete", id } : { kind: "add", id, ...record };
    });
  }
}

function* vectorsOf(operations: Operation[]): Generator<Float32Array> {
  for (const operation of operations) if (operation.kind === "add") yield operation.vector;
}
