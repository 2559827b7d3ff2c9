/**
 * What becomes of a transfer: each change of its state in the record, on disk, in the catalog where that is concerned, and for
 * whoever listens. Called by transfers and their runs; calls transfer-ledger, catalog and transfer-events.
 */
import type { Catalog } from "../catalog/catalog.ts";
import { isSharingError, SharingError } from "../errors.ts";
import type { NodeEvents } from "../events.ts";
import type { Clock, Log } from "../ports.ts";
import { TransferEvents } from "./transfer-events.ts";
import type { TransferLedger } from "./transfer-ledger.ts";
import type { TransferDetail, TransferRecord } from "./transfer-record.ts";

export interface TransferStatesPorts {
  catalog: Catalog;
  ledger: TransferLedger;
  events: NodeEvents;
  clock: Clock;
  log: Log;
}

export class TransferStates {
  readonly #ports: TransferStatesPorts;
  readonly #events: TransferEvents;

  constructor(ports: TransferStatesPorts) {
    this.#ports = ports;
    this.#events = new TransferEvents(ports.events, ports.clock);
  }

  started(record: TransferRecord): void {
    this.#events.started(record);
  }

  progressed(record: TransferRecord, detail: () => TransferDetail, peers: number): void {
    this.#events.progressed(record, detail, peers);
  }

  async goesOn(record: TransferRecord): Promise<void> {
    record.status = "resumed";
    delete record.error;
    await this.keep(record);
  }

  async interrupted(record: TransferRecord, reason: string): Promise<void> {
    Object.assign(record, { status: "interrupted", error: reason });
    await this.keep(record);
    this.#events.interrupted(record, reason);
  }

  async completed(record: TransferRecord): Promise<void> {
    delete record.error;
    this.#end(record, "completed");
    await this.keep(record);
    this.#events.completed(record);
  }

  async failed(record: TransferRecord, error: unknown): Promise<void> {
    const isForeseen = error instanceof SharingError;
    if (!isForeseen) this.warn("a transfer failed for a reason that nobody foresaw", record, error);
    record.error = isForeseen ? error.message : "an internal error";
    delete record.isStorageFull;
    if (isSharingError(error, "storage_full")) record.isStorageFull = true;
    this.#end(record, "failed");
    await this.keep(record);
    this.#events.failed(record);
  }

  /**
   * The end of a transfer that nobody wants; a file that was never complete goes with its last transfer. Before that is kept: so
   * that a full disk has room for it, and no file is left without a transfer where the process ends in between.
   */
  async cancelled(record: TransferRecord): Promise<void> {
    const { catalog, ledger } = this.#ports;
    delete record.error;
    await this.keepUnlisted(record);
    this.#end(record, "cancelled");
    if (catalog.isPartial(record.fileId) && !ledger.isActive(record.fileId)) {
      await catalog
        .remove(record.fileId)
        .catch((error: unknown) => this.warn("a file that nobody wants could not be removed", record, error));
    }
    await this.keep(record);
    this.#events.cancelled(record);
  }

  /** Of a file that is about to go: where it is told of to nobody, it is still so once its transfer is resumed. */
  async keepUnlisted(record: TransferRecord): Promise<void> {
    if (record.isUnlisted || !this.#ports.catalog.isUnlisted(record.fileId)) return;
    record.isUnlisted = true;
    await this.keep(record);
  }

  /** What can't be kept, as on a full disk, holds in this process, and reads as interrupted in the next. */
  async keep(record: TransferRecord): Promise<void> {
    try {
      await this.#ports.ledger.save(record);
    } catch (error) {
      this.warn("the state of a transfer was not kept", record, error);
    }
  }

  /** Brings progress and size up to what the catalog knows. */
  refresh(record: TransferRecord): void {
    const entry = this.#ports.catalog.find(record.fileId);
    if (!entry) return;
    record.sizeBytes = entry.manifest.sizeBytes;
    record.progress = entry.holding.heldCount / entry.manifest.chunkCount;
  }

  warn(what: string, { id, status }: TransferRecord, error: unknown): void {
    this.#ports.log.warn(what, { transferId: id, status, error });
  }

  #end(record: TransferRecord, status: "completed" | "failed" | "cancelled"): void {
    Object.assign(record, { status, endedAtMs: this.#ports.clock.now() });
  }
}
