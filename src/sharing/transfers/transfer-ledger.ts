/**
 * The records of all transfers, in memory and on disk. What was running when the process died reads as
 * interrupted; what ended is forgotten after a day. Called by transfers and their runs.
 */
import { SharingError } from "../errors.ts";
import { ENDED_TRANSFER_MS, FORGET_ENDED_EVERY_MS, MAX_TRANSFERS } from "../limits.ts";
import { MultiMap } from "../multi-map.ts";
import type { Clock, Log, Records } from "../ports.ts";
import { isActive, isRunning, type TransferRecord } from "./transfer-record.ts";

const TOO_MANY = `${MAX_TRANSFERS} transfers are active, as many as may be: wait until some have ended, or cancel some`;

export class TransferLedger {
  readonly #records: Records;
  readonly #clock: Clock;
  /** In the order of their start. */
  readonly #transfers = new Map<string, TransferRecord>();
  /** The same by file, and by the place of an output: each is asked for several times for each of thousands. */
  readonly #byFile = new MultiMap<TransferRecord>();
  readonly #byOutput = new MultiMap<TransferRecord>();
  #nextOrdinal = 1;
  #forgetDueMs: number;

  private constructor(records: Records, clock: Clock) {
    this.#records = records;
    this.#clock = clock;
    this.#forgetDueMs = clock.now();
  }

  static async open(records: Records, clock: Clock, log: Log): Promise<TransferLedger> {
    const ledger = new TransferLedger(records, clock);
    const kept: TransferRecord[] = [];
    for await (const [, record] of records.entries<TransferRecord>("transfers")) kept.push(record);
    for (const record of kept.sort(byStart)) {
      ledger.#nextOrdinal = Math.max(ledger.#nextOrdinal, ordinalOf(record) + 1);
      const wasCut = isRunning(record.status);
      if (wasCut) Object.assign(record, { status: "interrupted", error: "the node stopped" });
      ledger.#keep(record);
    }
    // A full disk has no room to note even that, and it takes a node that runs to make some.
    await ledger
      .#forgetEnded()
      .catch((error: unknown) => log.warn("transfers that ended long ago are still kept", { error }));
    return ledger;
  }

  /** @throws SharingError `transfer_not_found` */
  get(id: string): TransferRecord {
    const record = this.#transfers.get(id);
    if (!record || isForgotten(record, this.#clock.now()))
      throw new SharingError("transfer_not_found", "Transfer not found");
    return record;
  }

  /** Newest first. */
  all(): TransferRecord[] {
    return this.#newestFirst([...this.#transfers.values()]);
  }

  /** Is a transfer of the file not over? */
  isActive(fileId: string): boolean {
    return this.ofFile(fileId).some(({ status }) => isActive(status));
  }

  /** Newest first. */
  ofFile(fileId: string): TransferRecord[] {
    return this.#newestFirst(this.#byFile.get(fileId));
  }

  /** Those of any file that are to come to that place, or have come there; newest first. */
  atOutput(path: string): TransferRecord[] {
    return this.#newestFirst(this.#byOutput.get(path));
  }

  /** Known at once, so that a second request for the same finds it. @throws SharingError `wrong_state` for too many */
  async add(record: TransferRecord): Promise<void> {
    record.ordinal = this.#nextOrdinal++;
    this.#keep(record);
    try {
      await this.#makeRoom();
      await this.save(record);
    } catch (error) {
      this.#drop(record);
      throw error;
    }
  }

  async save(record: TransferRecord): Promise<void> {
    await this.#records.put("transfers", record.id, record);
  }

  async #makeRoom(): Promise<void> {
    const isFull = this.#transfers.size > MAX_TRANSFERS;
    if (isFull || this.#clock.now() >= this.#forgetDueMs) await this.#forgetEnded();
    if (this.#transfers.size > MAX_TRANSFERS) throw new SharingError("wrong_state", TOO_MANY);
  }

  /** Those that ended a day ago, and of others the oldest as long as there are too many. */
  async #forgetEnded(): Promise<void> {
    const nowMs = this.#clock.now();
    this.#forgetDueMs = nowMs + FORGET_ENDED_EVERY_MS;
    const ended = [...this.#transfers.values()].filter((record) => !isActive(record.status));
    const old = ended.filter((record) => isForgotten(record, nowMs));
    const surplus = Math.max(0, this.#transfers.size - old.length - MAX_TRANSFERS);
    const others = ended.filter((record) => !isForgotten(record, nowMs));
    const forgotten = [...old, ...others.slice(0, surplus)];
    if (forgotten.length === 0) return;
    // At once, before one of them is asked to go on.
    for (const record of forgotten) this.#drop(record);
    await this.#records.batch(
      forgotten.map(({ id }) => ({ type: "delete", collection: "transfers", key: id })),
    );
  }

  #keep(record: TransferRecord): void {
    this.#transfers.set(record.id, record);
    this.#byFile.add(record.fileId, record);
    if (record.outputPath !== undefined) this.#byOutput.add(record.outputPath, record);
  }

  #drop(record: TransferRecord): void {
    this.#transfers.delete(record.id);
    this.#byFile.delete(record.fileId, record);
    if (record.outputPath !== undefined) this.#byOutput.delete(record.outputPath, record);
  }

  /** `records`: in the order of their start. */
  #newestFirst(records: TransferRecord[]): TransferRecord[] {
    const nowMs = this.#clock.now();
    return records.filter((record) => !isForgotten(record, nowMs)).reverse();
  }
}

function byStart(a: TransferRecord, b: TransferRecord): number {
  return ordinalOf(a) - ordinalOf(b) || a.startedAtMs - b.startedAtMs;
}

function ordinalOf({ ordinal = 0 }: TransferRecord): number {
  return ordinal;
}

function isForgotten({ endedAtMs }: TransferRecord, nowMs: number): boolean {
  return endedAtMs !== undefined && nowMs - endedAtMs > ENDED_TRANSFER_MS;
}
