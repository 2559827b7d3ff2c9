/**
 * The records of all transfers, in memory and on disk. What was running when the process died reads as
 * interrupted; what ended is forgotten after a day. Called by transfers and their runs.
 */
import { SharingError } from "../errors.ts";
import { ENDED_TRANSFER_MS, MAX_TRANSFERS } from "../limits.ts";
import type { Clock, Log, Records } from "../ports.ts";
import { isActive, isRunning, type TransferRecord } from "./transfer-record.ts";

const TOO_MANY = `${MAX_TRANSFERS} transfers are active, as many as may be: wait until some have ended, or cancel some`;

export class TransferLedger {
  readonly #records: Records;
  readonly #clock: Clock;
  /** In the order of their start. */
  readonly #transfers = new Map<string, TransferRecord>();
  #nextOrdinal = 1;

  private constructor(records: Records, clock: Clock) {
    this.#records = records;
    this.#clock = clock;
  }

  static async open(records: Records, clock: Clock, log: Log): Promise<TransferLedger> {
    const ledger = new TransferLedger(records, clock);
    const kept: TransferRecord[] = [];
    for await (const [, record] of records.entries<TransferRecord>("transfers")) kept.push(record);
    for (const record of kept.sort(byStart)) {
      ledger.#nextOrdinal = Math.max(ledger.#nextOrdinal, ordinalOf(record) + 1);
      const wasCut = isRunning(record.status);
      if (wasCut) Object.assign(record, { status: "interrupted", error: "the node stopped" });
      ledger.#transfers.set(record.id, record);
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
    const nowMs = this.#clock.now();
    return [...this.#transfers.values()].filter((record) => !isForgotten(record, nowMs)).reverse();
  }

  /** Is a transfer of the file not over? */
  isActive(fileId: string): boolean {
    return this.ofFile(fileId).some(({ status }) => isActive(status));
  }

  ofFile(fileId: string): TransferRecord[] {
    return this.all().filter((record) => record.fileId === fileId);
  }

  /** Known at once, so that a second request for the same finds it. @throws SharingError `wrong_state` for too many */
  async add(record: TransferRecord): Promise<void> {
    const activeCount = this.all().filter((other) => isActive(other.status)).length;
    if (activeCount >= MAX_TRANSFERS) throw new SharingError("wrong_state", TOO_MANY);
    record.ordinal = this.#nextOrdinal++;
    this.#transfers.set(record.id, record);
    try {
      await this.#forgetEnded();
      await this.save(record);
    } catch (error) {
      this.#transfers.delete(record.id);
      throw error;
    }
  }

  async save(record: TransferRecord): Promise<void> {
    await this.#records.put("transfers", record.id, record);
  }

  async #forgetEnded(): Promise<void> {
    const nowMs = this.#clock.now();
    const ended = this.all().filter((record) => !isActive(record.status));
    const forgotten = [...this.#transfers.values()].filter((record) => isForgotten(record, nowMs));
    for (const record of [...forgotten, ...ended.slice(MAX_TRANSFERS)]) {
      this.#transfers.delete(record.id);
      await this.#records.delete("transfers", record.id);
    }
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
