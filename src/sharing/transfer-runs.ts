/**
 * Runs of transfers, from start to whatever end: each is a Transfer with a loop of its own, those of one file run one after
 * another, and what comes of them goes to the ledger, the catalog and the events. Called by transfers.ts.
 */
import { ChunkSources, UNKNOWN_SOURCE } from "./chunk-map.ts";
import { isSharingError, SharingError } from "./errors.ts";
import type { NodeEvents } from "./events.ts";
import { parseFileId } from "./file-id.ts";
import type { FileOutput } from "./ports.ts";
import { Transfer, type TransferPorts } from "./transfer.ts";
import { TransferEvents } from "./transfer-events.ts";
import type { TransferLedger } from "./transfer-ledger.ts";
import { detailOf, isActive, type TransferDetail, type TransferRecord } from "./transfer-record.ts";

export interface TransferRunsPorts extends TransferPorts {
  events: NodeEvents;
  ledger: TransferLedger;
  /** A file became known or complete: tell the swarm. */
  announce: (fileId: string) => void;
}

/** `resumed`: it is run again at once, of which nobody needs to hear. */
type StopReason = "paused" | "cancelled" | "stopped" | "resumed";

const NO_PROVIDER = "no provider is left";

interface Run {
  record: TransferRecord;
  stop: AbortController;
  done: Promise<void>;
  transfer: Transfer | undefined;
}

export class TransferRuns {
  readonly #ports: TransferRunsPorts;
  readonly #events: TransferEvents;
  readonly #runs = new Map<string, Run>();
  readonly #sources = new ChunkSources();
  /** The end of all runs of each file so far. */
  readonly #lastOfFile = new Map<string, Promise<unknown>>();
  #isStopped = false;

  constructor(ports: TransferRunsPorts) {
    this.#ports = ports;
    this.#events = new TransferEvents(ports.events, ports.clock);
  }

  has(transferId: string): boolean {
    return this.#runs.has(transferId);
  }

  /** Is somebody there to bring chunks of the file? */
  isBusy(fileId: string): boolean {
    return this.#ofFile(fileId).some(({ record }) => record.status !== "interrupted");
  }

  /** Begins a run; nothing else runs that transfer. Once all are stopped it ends at once, for the next start to go on with. */
  begin(record: TransferRecord, output: FileOutput | undefined): void {
    if (record.status === "started") this.#events.started(record);
    const run: Run = { record, stop: new AbortController(), transfer: undefined, done: Promise.resolve() };
    if (this.#isStopped) run.stop.abort("stopped" satisfies StopReason);
    const before = this.#lastOfFile.get(record.fileId);
    run.done = this.#runToEnd(run, output, before)
      .catch((error: unknown) => this.#warn("a transfer left something behind", record, error))
      .finally(() => {
        this.#runs.delete(record.id);
        if (run.transfer !== undefined) this.#sources.keep(record.id, run.transfer.sources);
        this.#ports.catalog.find(record.fileId)?.holding.notify();
      });
    this.#runs.set(record.id, run);
    if (this.#isStalled(record.fileId)) void this.#interrupted(record, NO_PROVIDER);
    // One that is stopped while it waits its turn ends before those that it waited for.
    const last = Promise.all([before, run.done]).finally(() => {
      if (this.#lastOfFile.get(record.fileId) === last) this.#lastOfFile.delete(record.fileId);
    });
    this.#lastOfFile.set(record.fileId, last);
  }

  /** Settles when the run, if there is one, has ended for that reason or another. */
  async stop(transferId: string, reason: StopReason): Promise<void> {
    const run = this.#runs.get(transferId);
    run?.stop.abort(reason);
    await run?.done;
  }

  async stopAll(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([...this.#runs.keys()].map((id) => this.stop(id, "stopped")));
  }

  detail(record: TransferRecord): TransferDetail {
    const transfer = this.#runs.get(record.id)?.transfer;
    if (isActive(record.status)) this.#refresh(record);
    const live = transfer && {
      bytesPerSecond: transfer.meter.bytesPerSecond(),
      speeds: transfer.speeds(),
      isWaiting: transfer.isWaiting,
    };
    return detailOf(record, live, this.#ports.clock.now());
  }

  isAsked(transferId: string, index: number): boolean {
    return this.#runs.get(transferId)?.transfer?.isAsked(index) ?? false;
  }

  /** Who brought a chunk, in this run or an earlier one: its place in `chunksByPeer`, or UNKNOWN_SOURCE. */
  sourceOf(transferId: string, index: number): number {
    const source = this.#runs.get(transferId)?.transfer?.sources[index] ?? UNKNOWN_SOURCE;
    return source === UNKNOWN_SOURCE ? this.#sources.sourceOf(transferId, index) : source;
  }

  /**
   * The end of a transfer that nobody wants; a file that was never complete goes with its last transfer. Before that is kept: so
   * that a full disk has room for it, and no file is left without a transfer where the process ends in between.
   */
  async cancelled(record: TransferRecord): Promise<void> {
    const { catalog, ledger } = this.#ports;
    delete record.error;
    // Resumed, it is still so, though its file is gone.
    if (catalog.isUnlisted(record.fileId)) record.isUnlisted = true;
    this.#end(record, "cancelled");
    if (catalog.isPartial(record.fileId) && !ledger.isActive(record.fileId)) {
      await catalog
        .remove(record.fileId)
        .catch((error: unknown) =>
          this.#warn("a file that nobody wants could not be removed", record, error),
        );
    }
    await this.keep(record);
    this.#events.cancelled(record);
  }

  async failed(record: TransferRecord, error: unknown): Promise<void> {
    const isForeseen = error instanceof SharingError;
    if (!isForeseen) this.#warn("a transfer failed for a reason that nobody foresaw", record, error);
    record.error = isForeseen ? error.message : "an internal error";
    delete record.isStorageFull;
    if (isSharingError(error, "storage_full")) record.isStorageFull = true;
    await this.#settle(record, "failed");
    this.#events.failed(record);
  }

  async #runToEnd(
    run: Run,
    output: FileOutput | undefined,
    before: Promise<unknown> | undefined,
  ): Promise<void> {
    const { record } = run;
    const { signal } = run.stop;
    try {
      await Promise.race([before, aborted(signal)]);
      signal.throwIfAborted();
      if (record.status === "interrupted") await this.#goesOn(record);
      run.transfer = this.#transfer(run, output);
      await run.transfer.run();
      this.#refresh(record);
      await this.#completed(record);
    } catch (error) {
      await this.#discard(record, output);
      this.#refresh(record);
      // It may have come to be known, and whole, when nobody followed its progress any more.
      this.#ports.announce(record.fileId);
      if (!signal.aborted) await this.failed(record, error);
      else if (signal.reason === "cancelled") await this.cancelled(record);
      else if (signal.reason !== "resumed")
        await this.#interrupted(record, signal.reason === "paused" ? "paused" : "the node stopped");
    }
  }

  #transfer({ record, stop }: Run, output: FileOutput | undefined): Transfer {
    const { announce, catalog } = this.#ports;
    const chunksByPeer = new Map(record.chunksByPeer);
    // What is held tells less: some of it may be found lost while this run brings more.
    const brought = () => [...chunksByPeer.values()].reduce((sum, chunks) => sum + chunks, 0);
    const broughtBefore = brought();
    let isAnnounced = false;
    const tell = () => this.#events.progressed(record, () => this.detail(record), transfer.speeds().size);
    const transfer: Transfer = new Transfer(this.#ports, {
      root: parseFileId(record.fileId),
      // Somebody may tell it before the file is known here.
      name: () => record.name,
      isUnlisted: () =>
        catalog.knows(record.fileId) ? catalog.isUnlisted(record.fileId) : record.isUnlisted === true,
      // Those of the file that wait for this one have what it brings.
      maxPeers: () => Math.max(...this.#ofFile(record.fileId).map((run) => run.record.maxPeers)),
      strategy: record.strategy,
      output,
      chunksByPeer,
      signal: stop.signal,
      onStall: (isStalled) => void this.#stalled(record, isStalled),
      onProgress: () => {
        const isNewPeer = chunksByPeer.size > record.chunksByPeer.length;
        record.chunksByPeer = [...chunksByPeer];
        // It is asked first after a restart, also one of which nothing could be kept any more.
        if (isNewPeer) void this.keep(record);
        if (brought() > broughtBefore) record.status = "in_progress";
        if (!isAnnounced) announce(record.fileId);
        isAnnounced = true;
        tell();
      },
      onTick: () => {
        if (record.status !== "interrupted") tell();
      },
    });
    return transfer;
  }

  /** Runs of the file that wait for this one wait for a provider, too. */
  async #stalled({ fileId }: TransferRecord, isStalled: boolean): Promise<void> {
    // One that is being stopped is told of by its end.
    const waiting = this.#ofFile(fileId).filter(({ stop }) => !stop.signal.aborted);
    const told = waiting.map(({ record }) =>
      isStalled ? this.#interrupted(record, NO_PROVIDER) : this.#goesOn(record),
    );
    // Readers need not wait any longer.
    if (isStalled) this.#ports.catalog.find(fileId)?.holding.notify();
    await Promise.all(told);
  }

  async #goesOn(record: TransferRecord): Promise<void> {
    record.status = "resumed";
    delete record.error;
    await this.keep(record);
  }

  #ofFile(fileId: string): Run[] {
    return [...this.#runs.values()].filter(({ record }) => record.fileId === fileId);
  }

  /** Does the one that runs wait for a provider? */
  #isStalled(fileId: string): boolean {
    return this.#ofFile(fileId).some(({ record, transfer }) => transfer && record.status === "interrupted");
  }

  async #completed(record: TransferRecord): Promise<void> {
    const { catalog, announce } = this.#ports;
    const entry = catalog.find(record.fileId);
    // All is here, and where it was asked for, whatever can be noted of it.
    await (entry && catalog.completed(entry))?.catch((error: unknown) =>
      this.#warn("that a file is complete was not kept", record, error),
    );
    announce(record.fileId);
    await this.#settle(record, "completed");
    this.#events.completed(record);
  }

  async #interrupted(record: TransferRecord, reason: string): Promise<void> {
    Object.assign(record, { status: "interrupted", error: reason });
    await this.keep(record);
    this.#events.interrupted(record, reason);
  }

  async #settle(record: TransferRecord, status: "completed" | "failed"): Promise<void> {
    this.#end(record, status);
    await this.keep(record);
  }

  #end(record: TransferRecord, status: "completed" | "failed" | "cancelled"): void {
    Object.assign(record, { status, endedAtMs: this.#ports.clock.now() });
  }

  /** What can't be kept, as on a full disk, holds in this process, and reads as interrupted in the next. */
  async keep(record: TransferRecord): Promise<void> {
    try {
      await this.#ports.ledger.save(record);
    } catch (error) {
      this.#warn("the state of a transfer was not kept", record, error);
    }
  }

  /** What a disk that fails keeps of it does not keep its transfer from ending. */
  async #discard(record: TransferRecord, output: FileOutput | undefined): Promise<void> {
    await output
      ?.discard()
      .catch((error: unknown) => this.#warn("an unfinished output could not be removed", record, error));
  }

  #warn(what: string, { id, status }: TransferRecord, error: unknown): void {
    this.#ports.log.warn(what, { transferId: id, status, error });
  }

  /** Brings progress and size up to what the catalog knows. */
  #refresh(record: TransferRecord): void {
    const entry = this.#ports.catalog.find(record.fileId);
    if (!entry) return;
    record.sizeBytes = entry.manifest.sizeBytes;
    record.progress = entry.holding.heldCount / entry.manifest.chunkCount;
  }
}

/** Settles when the signal aborts. */
function aborted(signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
}
