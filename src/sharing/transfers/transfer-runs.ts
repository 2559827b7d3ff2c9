/**
 * Runs of transfers, from start to whatever end: each is a Transfer with a loop of its own, those of one file run one after
 * another, and what comes of them is told to transfer-states. Called by transfers.ts.
 */
import { Transfer, type TransferPorts } from "../download/transfer.ts";
import { parseFileId } from "../file-id.ts";
import { STALL_MS } from "../limits.ts";
import type { FileOutput } from "../ports.ts";
import { unlessAborted } from "../unless-aborted.ts";
import { ChunkSources, UNKNOWN_SOURCE } from "./chunk-map.ts";
import type { PlannedOutput } from "./planned-output.ts";
import { RunLines } from "./run-lines.ts";
import { type Run, RunsOfFiles, type StopReason } from "./runs-of-files.ts";
import {
  detailOf,
  isActive,
  isRunning,
  type LiveFigures,
  type TransferDetail,
  type TransferRecord,
} from "./transfer-record.ts";
import type { TransferStates, TransferStatesPorts } from "./transfer-states.ts";

export interface TransferRunsPorts extends TransferPorts {
  /** As TransferStatesPorts has it. */
  announce: TransferStatesPorts["announce"];
}

/** Why a run ends that nobody wants to stop: no provider is left of its file, and others wait for its turn. */
const LETS_OTHERS_FIRST = "lets others first";

const NO_PROVIDER = "no provider is left";

export class TransferRuns {
  readonly #ports: TransferRunsPorts;
  readonly #states: TransferStates;
  readonly #runs = new RunsOfFiles();
  readonly #lines = new RunLines();
  readonly #sources = new ChunkSources();
  /** The end of all runs of each file so far. */
  readonly #lastOfFile = new Map<string, Promise<unknown>>();
  #isStopped = false;

  constructor(ports: TransferRunsPorts, states: TransferStates) {
    this.#ports = ports;
    this.#states = states;
  }

  has(transferId: string): boolean {
    return this.#runs.get(transferId) !== undefined;
  }

  /** Is any of them brought by a peer? */
  get areAnyBrought(): boolean {
    for (const { record, transfer } of this.#runs.all())
      if (isRunning(record.status) && transfer !== undefined && transfer.speeds().size > 0) return true;
    return false;
  }

  /** Is somebody there to bring chunks of the file? */
  isBusy(fileId: string): boolean {
    return this.#runs.ofFile(fileId).some(({ record }) => record.status !== "interrupted");
  }

  /** Would another file of the folder, or by itself, wait for its turn? */
  isFull(folderId: string | undefined): boolean {
    return this.#lines.isFull(folderId);
  }

  /** No other file of the folder has its turn until the function returned is called, once. */
  hold(folderId: string): () => void {
    return this.#lines.hold(folderId);
  }

  /** Begins a run; nothing else runs that transfer. Once all are stopped it ends at once, for the next start to go on with. */
  begin(record: TransferRecord, output: PlannedOutput | undefined, { waitsAgain = false } = {}): void {
    if (record.status === "started") this.#states.started(record);
    const stop = new AbortController();
    const stopReason = this.#isStopped ? "stopped" : undefined;
    if (stopReason) stop.abort(stopReason);
    const place = this.#lines.lineUp(record.partOf);
    const run: Run = {
      record,
      stop,
      stopReason,
      waitsAgain,
      place,
      turnMs: Number.POSITIVE_INFINITY,
      transfer: undefined,
      isStalled: false,
      done: Promise.resolve(),
    };
    const before = this.#lastOfFile.get(record.fileId);
    // It waits for those of its file that are before it, and they for their turn no longer.
    void place.isItsTurn.then(() => {
      run.turnMs = this.#ports.clock.monotonic();
      this.#runs.hastenSoon(record.fileId);
    });
    run.done = this.#runToEnd(run, output, before)
      .catch((error: unknown) => this.#states.warn("a transfer left something behind", record, error))
      .finally(() => {
        this.#runs.delete(run);
        this.#lines.leave(place, record.partOf);
        if (run.transfer !== undefined) this.#sources.keep(record.id, run.transfer.sources);
        this.#ports.catalog.find(record.fileId)?.holding.notify();
        const letsFirst = stop.signal.reason === LETS_OTHERS_FIRST && run.stopReason === undefined;
        // It may have ended otherwise meanwhile.
        if (letsFirst && isActive(record.status)) this.begin(record, output, { waitsAgain: true });
      });
    this.#runs.add(run);
    if (this.#runs.isStalled(record.fileId)) void this.#noProvider(record);
    // One that is stopped while it waits its turn ends before those that it waited for.
    const last = Promise.all([before, run.done]).then(() => {
      if (this.#lastOfFile.get(record.fileId) === last) this.#lastOfFile.delete(record.fileId);
    });
    this.#lastOfFile.set(record.fileId, last);
  }

  /** As RunsOfFiles has it. */
  hasten(fileId: string, isMeant?: (record: TransferRecord) => boolean): void {
    this.#runs.hasten(fileId, isMeant);
  }

  /** Settles when the run, if there is one, has ended for that reason or another. */
  async stop(transferId: string, reason: StopReason): Promise<void> {
    const run = this.#runs.get(transferId);
    if (run === undefined) return;
    run.stopReason ??= reason;
    run.stop.abort(reason);
    await run.done;
  }

  async stopAll(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([...this.#runs.all()].map(({ record }) => this.stop(record.id, "stopped")));
  }

  detail(record: TransferRecord): TransferDetail {
    const run = this.#runs.get(record.id);
    if (isActive(record.status)) this.#states.refresh(record);
    return detailOf(record, run && liveFigures(run), this.#ports.clock.now());
  }

  isAsked(transferId: string, index: number): boolean {
    return this.#runs.get(transferId)?.transfer?.isAsked(index) ?? false;
  }

  /** Who brought a chunk, in this run or an earlier one: its place in `chunksByPeer`, or UNKNOWN_SOURCE. */
  sourceOf(transferId: string, index: number): number {
    const source = this.#runs.get(transferId)?.transfer?.sources[index] ?? UNKNOWN_SOURCE;
    return source === UNKNOWN_SOURCE ? this.#sources.sourceOf(transferId, index) : source;
  }

  /** Nothing is left of what earlier runs brought. */
  forgetSources(transferId: string): void {
    this.#sources.forget(transferId);
  }

  async #runToEnd(
    run: Run,
    output: PlannedOutput | undefined,
    before: Promise<unknown> | undefined,
  ): Promise<void> {
    const { record } = run;
    const { signal } = run.stop;
    try {
      await unlessAborted(Promise.all([before, run.place.isItsTurn]), signal);
      if (record.status === "interrupted" && !run.waitsAgain) await this.#states.goesOn(record);
      const transfer = this.#transfer(run, await output?.open());
      this.#runs.isAtWork(run, transfer);
      await transfer.run();
      if (record.partOf !== undefined) this.#lines.came(record.partOf, this.#ports.clock.monotonic());
      await this.#states.completed(record);
    } catch (error) {
      await this.#discard(record, output);
      await this.#states.stopped(record);
      const { stopReason } = run;
      if (!signal.aborted) await this.#states.failed(record, error);
      else if (stopReason === undefined) await this.#noProvider(record);
      else if (stopReason === "cancelled") await this.#states.cancelled(record);
      else if (stopReason !== "resumed")
        await this.#states.interrupted(record, stopReason === "paused" ? "paused" : "the node stopped");
    }
  }

  /**
   * Of a file without a provider: those of its runs that had their turn, and whose turn others wait for, end and wait
   * behind them.
   */
  #letOthersFirst(fileId: string): void {
    const sinceMs = this.#ports.clock.monotonic() - STALL_MS;
    for (const { record, stop, turnMs } of this.#runs.ofFile(fileId))
      if (turnMs <= sinceMs && this.#lines.isWaitedFor(record.partOf)) stop.abort(LETS_OTHERS_FIRST);
  }

  #transfer(run: Run, output: FileOutput | undefined): Transfer {
    const { record, stop } = run;
    const { announce, catalog, clock } = this.#ports;
    const { partOf } = record;
    const begunMs = clock.monotonic();
    const chunksByPeer = new Map(record.chunksByPeer);
    // What is held tells less: some of it may be found lost while this run brings more.
    const brought = () => [...chunksByPeer.values()].reduce((sum, chunks) => sum + chunks, 0);
    const broughtBefore = brought();
    /** Whether others were told that all of the file is here. */
    let toldWhole: boolean | undefined;
    const announceFirstOrLost = () => {
      const isWhole = catalog.find(record.fileId)?.holding.isComplete;
      if (isWhole === undefined || toldWhole === false || toldWhole === isWhole) return;
      toldWhole = isWhole;
      announce(record.fileId);
    };
    const tell = () => this.#states.progressed(record, () => this.detail(record), transfer.speeds().size);
    const transfer: Transfer = new Transfer(this.#ports, {
      root: parseFileId(record.fileId),
      // Somebody may tell it before the file is known here.
      name: () => record.name,
      isUnlisted: () =>
        catalog.knows(record.fileId) ? catalog.isUnlisted(record.fileId) : record.isUnlisted === true,
      // Those of the file that wait for this one have what it brings.
      maxPeers: () => Math.max(...this.#runs.ofFile(record.fileId).map((run) => run.record.maxPeers)),
      strategy: record.strategy,
      output,
      saidBytes: () => record.saidBytes,
      chunksByPeer,
      signal: stop.signal,
      wasStalled: record.status === "interrupted",
      onStall: (isStalled) => void this.#stalled(run, isStalled),
      onMet: () => {
        if (partOf !== undefined) record.hasMet = true;
      },
      // Where other files of the folder come, nobody has this one; where all wait, their peer is gone, and may come back.
      isPatient: () =>
        partOf !== undefined && (record.hasMet === true || this.#lines.isWaitingWhole(partOf, begunMs)),
      onProgress: () => {
        const isNewPeer = chunksByPeer.size > record.chunksByPeer.length;
        record.chunksByPeer = [...chunksByPeer];
        // It is asked first after a restart, also one of which nothing could be kept any more. What is whole is noted
        // in a moment.
        if (isNewPeer && !catalog.find(record.fileId)?.holding.isComplete) void this.#states.keep(record);
        if (brought() > broughtBefore) record.status = "in_progress";
        announceFirstOrLost();
        tell();
      },
      onTick: () => {
        announceFirstOrLost();
        if (record.status !== "interrupted") tell();
        // They may have come since.
        if (run.isStalled) this.#letOthersFirst(record.fileId);
      },
    });
    return transfer;
  }

  /** Runs of the file that wait for this one wait for a provider, too. */
  async #stalled(run: Run, isStalled: boolean): Promise<void> {
    const { fileId } = run.record;
    run.isStalled = false;
    // One that is being stopped is told of by its end.
    const waiting = this.#runs.ofFile(fileId).filter(({ stop }) => !stop.signal.aborted);
    const told = waiting.map(({ record }) =>
      isStalled ? this.#noProvider(record) : this.#states.goesOn(record),
    );
    // Readers need not wait any longer.
    if (isStalled) this.#ports.catalog.find(fileId)?.holding.notify();
    await Promise.all(told);
    // A provider may have come meanwhile.
    if (!isStalled || run.stop.signal.aborted || run.record.status !== "interrupted") return;
    run.isStalled = true;
    this.#letOthersFirst(fileId);
  }

  /** Told once. */
  async #noProvider(record: TransferRecord): Promise<void> {
    if (record.status !== "interrupted") await this.#states.interrupted(record, NO_PROVIDER);
  }

  /** What a disk that fails keeps of it does not keep its transfer from ending. */
  async #discard(record: TransferRecord, output: PlannedOutput | undefined): Promise<void> {
    await output
      ?.discard()
      .catch((error: unknown) =>
        this.#states.warn("an unfinished output could not be removed", record, error),
      );
  }
}

/** Undefined before it does anything but wait for another of its file. */
function liveFigures({ transfer, place }: Run): LiveFigures | undefined {
  if (transfer === undefined)
    return place.turn.isWaiting ? { bytesPerSecond: 0, speeds: new Map(), isWaiting: true } : undefined;
  return {
    bytesPerSecond: transfer.meter.bytesPerSecond(),
    speeds: transfer.speeds(),
    isWaiting: transfer.isWaiting,
  };
}
