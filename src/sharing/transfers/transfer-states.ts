/**
 * What becomes of a transfer: each change of its state in the record, on disk, in the catalog where that is concerned, and for
 * whoever listens. Called by transfers and their runs; calls transfer-ledger, catalog and transfer-events.
 */
import type { Catalog } from "../catalog/catalog.ts";
import type { CatalogEntry } from "../catalog/catalog-entry.ts";
import { unmarkLost } from "../catalog/stored-chunks.ts";
import { isSharingError, SharingError } from "../errors.ts";
import type { NodeEvents } from "../events.ts";
import type { BlockStore, Clock, Log } from "../ports.ts";
import { systemFailure } from "../system-failure.ts";
import { TransferEvents } from "./transfer-events.ts";
import type { TransferLedger } from "./transfer-ledger.ts";
import type { TransferDetail, TransferRecord } from "./transfer-record.ts";

export interface TransferStatesPorts {
  blocks: BlockStore;
  catalog: Catalog;
  ledger: TransferLedger;
  events: NodeEvents;
  clock: Clock;
  log: Log;
  /** A file became known or complete: tell the swarm. */
  announce: (fileId: string) => void;
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

  /** All is here, and where it was asked for, whatever can be noted of it. */
  async completed(record: TransferRecord): Promise<void> {
    const { catalog, announce } = this.#ports;
    this.refresh(record);
    const entry = catalog.find(record.fileId);
    if (entry) await this.#noteWhole(record, catalog.completed(entry));
    announce(record.fileId);
    delete record.error;
    this.#end(record, "completed");
    await this.keep(record);
    this.#events.completed(record);
  }

  /** Before it is told why: all of the file may have come before, as where there is no room for the output. */
  async stopped(record: TransferRecord): Promise<void> {
    const { catalog, announce } = this.#ports;
    this.refresh(record);
    const entry = catalog.find(record.fileId);
    if (entry?.holding.isComplete) await this.#noteWhole(record, this.#keepWhole(entry));
    // It may have come to be known, and whole, when nobody followed its progress any more.
    announce(record.fileId);
  }

  async failed(record: TransferRecord, error: unknown): Promise<void> {
    const isForeseen = error instanceof SharingError;
    if (!isForeseen) this.warn("a transfer failed for a reason that nobody foresaw", record, error);
    record.error = isForeseen ? error.message : (systemFailure(error) ?? "an internal error");
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

  async #keepWhole(entry: CatalogEntry): Promise<void> {
    const { blocks, catalog } = this.#ports;
    try {
      await blocks.flush();
    } finally {
      await unmarkLost(blocks, entry);
    }
    if (entry.holding.isComplete) await catalog.completed(entry);
  }

  async #noteWhole(record: TransferRecord, noted: Promise<void>): Promise<void> {
    await noted.catch((error: unknown) => this.warn("that a file is complete was not kept", record, error));
  }

  #end(record: TransferRecord, status: "completed" | "failed" | "cancelled"): void {
    Object.assign(record, { status, endedAtMs: this.#ports.clock.now() });
  }
}
