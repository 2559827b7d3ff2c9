/**
 * Changes on their way: checked and counted, durable in the journal, then applied, in the order of the journal. Made by
 * the engine; calls the store and Records.
 *
 *   add, delete ─ admit ─ store.append ─ Records.apply ─ acknowledged
 *
 * Closing leaves out what is not applied yet; all of it is durable, and the next opening applies it.
 * A batch that was stored but cannot be applied (memory ran out) is taken back in memory, and by further operations in the
 * journal; so the next loading comes to the same records.
 */
import { indexFull, VxError } from "../errors.ts";
import { Serial } from "../serial.ts";
import type { IndexStore } from "../storage/index-store.ts";
import type { Operation } from "../storage/operations.ts";
import { TurnClock } from "../turn-clock.ts";
import { BrokenOff, Unapplied } from "./applier.ts";
import { MAX_WAITING_BYTES, OPERATION_BYTES } from "./limits.ts";
import type { Records } from "./records.ts";

export interface WriterParts {
  store: IndexStore;
  records: Records;
  /** 0 for no limit. */
  maxElements: number;
  /** Called after each change. */
  onApplied: (operations: Operation[]) => void;
}

/** A change that was checked and counted. */
interface Admitted {
  operations: Operation[];
  /** Ids that are not in the index yet. */
  newIds: number;
  sizeBytes: number;
  /** Settles when it is durable, with the number of its last operation. */
  append: Promise<number>;
}

export class Writer {
  readonly #parts: WriterParts;
  readonly #applying = new Serial();
  /** From their call to their end. */
  #changes = 0;
  /** Of changes from their admission to their end. */
  readonly #underWay = { newIds: 0, sizeBytes: 0 };
  /** Changes that wait to be admitted, in the order of their calls. */
  readonly #admissions = new Serial();
  #waiting = 0;
  /** Changes that are durable and wait to be applied. */
  readonly #stored = new Set<Admitted>();
  readonly #appends = new Set<Promise<number>>();
  #clock = new TurnClock();
  /** While it lasts, changes wait to be admitted. */
  #holding: Promise<unknown> | undefined;
  /** Why changes are refused, if they are. */
  #refusal: VxError | undefined;
  #failure: VxError | undefined;
  #isClosing = false;
  /** Of ids that changes left to the next opening have set: whether they are there then. */
  readonly #left = new Map<bigint, boolean>();
  #lastApplied: number;

  constructor(parts: WriterParts) {
    this.#parts = parts;
    this.#lastApplied = parts.store.lastSequence;
  }

  /** Number of the last operation that the records hold with all before it. */
  get lastApplied(): number {
    return this.#lastApplied;
  }

  get records(): Records {
    return this.#parts.records;
  }

  /** No change is under way. */
  get isIdle(): boolean {
    return this.#changes === 0;
  }

  /** Why nothing can be written any more, if it is so. */
  get failure(): VxError | undefined {
    return this.#failure;
  }

  /** Gives for each operation whether its id was there before. */
  async write(operations: Operation[]): Promise<boolean[]> {
    this.#changes += 1;
    try {
      return await this.#make(await this.#admitInOrder(operations));
    } finally {
      this.#changes -= 1;
    }
  }

  /** Runs between two changes, so that no batch is applied in part meanwhile. */
  async between<T>(work: () => T | Promise<T>): Promise<T> {
    return this.#applying.run(async () => work());
  }

  /** As `between`, for work on all records at once. @throws VxError `unavailable` where closing has left a batch in part */
  async whole<T>(work: () => T | Promise<T>): Promise<T> {
    return this.between(() => {
      if (this.records.isInPart) throw closed();
      return work();
    });
  }

  /** Puts records that hold the same in place of these; between two changes. */
  put(records: Records): void {
    this.#parts.records = records;
  }

  /** Puts other records in place of these, once `replace` has made them the stored ones; changes are refused until then. */
  async restart(records: Records, replace: () => Promise<void>): Promise<void> {
    if (this.#refusal !== undefined) throw this.#refusal;
    const refusal = new VxError("unavailable", "The index is being restored");
    this.#refusal = refusal;
    try {
      await Promise.allSettled(this.#appends);
      await this.between(async () => {
        await replace();
        this.#parts.records = records;
        this.#lastApplied = this.#parts.store.lastSequence;
      });
    } finally {
      if (this.#refusal === refusal) this.#refusal = undefined;
    }
  }

  /** Leaves what is not applied yet to the next opening, from now on: memory is of use for a snapshot alone. */
  breakOff(): void {
    this.#isClosing = true;
    this.records.breakOff();
  }

  /**
   * Refuses changes from now on, and settles when those under way are durable. The next opening applies what is not
   * applied yet: a batch can take minutes.
   */
  async close(): Promise<void> {
    this.#refusal = closed();
    this.breakOff();
    await Promise.allSettled(this.#appends);
    await this.between(() => undefined);
  }

  /** Of several that set one id the last call is to win, though the first may have to wait for room. */
  async #admitInOrder(operations: Operation[]): Promise<Admitted> {
    const isNext = this.#waiting === 0 && this.#holding === undefined;
    if (isNext && this.#hasRoomFor(this.#newIds(operations))) return this.#admit(operations);
    this.#waiting += 1;
    try {
      return await this.#admissions.run(() => this.#admitWaiting(operations));
    } finally {
      this.#waiting -= 1;
    }
  }

  async #admitWaiting(operations: Operation[]): Promise<Admitted> {
    while (this.#holding !== undefined) await this.#holding;
    if (!this.#hasRoomFor(this.#newIds(operations))) {
      // What is under way may turn out to add less.
      await Promise.allSettled(this.#appends);
      await this.between(() => undefined);
    }
    return this.#admit(operations);
  }

  /** @throws VxError `capacity_exceeded`, `unavailable` */
  #admit(operations: Operation[]): Admitted {
    if (this.#refusal !== undefined) throw this.#refusal;
    const newIds = this.#newIds(operations);
    if (!this.#hasRoomFor(newIds)) throw indexFull(this.#parts.maxElements);
    const sizeBytes = operations.reduce((sum, operation) => sum + bytesOf(operation), 0);
    const waitingBytes = this.#underWay.sizeBytes;
    if (waitingBytes > 0 && waitingBytes + sizeBytes > MAX_WAITING_BYTES) {
      throw new VxError("unavailable", "Too much waits to be stored: try again");
    }
    // In one turn with the checks: who refuses changes from then on waits for this one.
    const append = this.#parts.store.append(operations);
    this.#appends.add(append);
    const change = { operations, newIds, sizeBytes, append };
    this.#count(change, 1);
    return change;
  }

  async #make(change: Admitted): Promise<boolean[]> {
    try {
      const last = await change.append;
      this.#stored.add(change);
      return await this.#applying.run(() => this.#apply(change, last));
    } finally {
      this.#appends.delete(change.append);
      this.#count(change, -1);
    }
  }

  #count({ newIds, sizeBytes }: Admitted, sign: 1 | -1): void {
    this.#underWay.newIds += sign * newIds;
    this.#underWay.sizeBytes += sign * sizeBytes;
  }

  #newIds(operations: Operation[]): number {
    if (this.#parts.maxElements === 0) return 0;
    const ids = new Set<bigint>();
    for (const { kind, id } of operations) if (kind === "add" && !this.records.has(id)) ids.add(id);
    return ids.size;
  }

  #hasRoomFor(newIds: number): boolean {
    const { maxElements, records } = this.#parts;
    if (maxElements === 0 || newIds === 0) return true;
    return records.count + this.#underWay.newIds + newIds <= maxElements;
  }

  async #apply(change: Admitted, last: number): Promise<boolean[]> {
    if (this.#changes === 1) this.#clock = new TurnClock();
    else if (this.#clock.isOver) await this.#clock.next();
    this.#stored.delete(change);
    if (this.#isClosing) return this.#leave(change);
    try {
      const existed = await this.records.apply(change.operations);
      this.#lastApplied = last;
      this.#parts.onApplied(change.operations);
      return existed;
    } catch (error) {
      if (error instanceof BrokenOff) return this.#leave(change);
      if (!(error instanceof Unapplied)) throw this.#fail(error);
      const taken = this.#takeBack(error.undone);
      this.#holding = taken.catch(() => undefined);
      try {
        await taken;
      } catch (failure) {
        throw this.#fail(failure);
      } finally {
        this.#holding = undefined;
      }
      throw error.cause;
    }
  }

  /** What is told of a change that is durable, and left to the next opening. */
  #leave({ operations }: Admitted): boolean[] {
    return operations.map(({ kind, id }) => {
      const existed = this.#left.get(id) ?? this.records.has(id);
      this.#left.set(id, kind === "add");
      return existed;
    });
  }

  /** Stores what takes a batch back, but for ids that changes stored meanwhile, and not yet applied, will set. */
  async #takeBack(undone: Operation[]): Promise<void> {
    await Promise.allSettled(this.#appends);
    const later = new Set([...this.#stored].flatMap(({ operations }) => operations.map(({ id }) => id)));
    await this.#parts.store.append(undone.filter(({ id }) => !later.has(id)));
  }

  /** Memory and journal may differ from here on: nothing more is written until the index is opened anew. */
  #fail(cause: unknown): VxError {
    const message = "A change could be stored but not applied: open the index anew";
    this.#failure = new VxError("unavailable", message, { cause });
    this.#refusal = this.#failure;
    return this.#failure;
  }
}

function closed(): VxError {
  return new VxError("unavailable", "The index is closed");
}

function bytesOf(operation: Operation): number {
  if (operation.kind === "delete") return OPERATION_BYTES;
  return OPERATION_BYTES + operation.vector.byteLength + (operation.metadata?.length ?? 0) * 2;
}
