/**
 * The runs that there are, by transfer and by file: a file may have thousands, of which one is at work and the others
 * wait for it. Kept by transfer-runs.
 */
import type { Transfer } from "../download/transfer.ts";
import { MultiMap } from "../multi-map.ts";
import type { PlaceInLine } from "./run-lines.ts";
import type { TransferRecord } from "./transfer-record.ts";

/** `resumed`: it is run again at once, of which nobody needs to hear. */
export type StopReason = "paused" | "cancelled" | "stopped" | "resumed";

export interface Run {
  record: TransferRecord;
  stop: AbortController;
  /** Why somebody wants it to end, who may do so while it lets others go first. */
  stopReason: StopReason | undefined;
  /** It has let others go first, and is told of as going on once a provider has come. */
  waitsAgain: boolean;
  place: PlaceInLine;
  /** When its turn came, by the process's clock. */
  turnMs: number;
  transfer: Transfer | undefined;
  /** No provider is left, which is noted. */
  isStalled: boolean;
  done: Promise<void>;
}

export class RunsOfFiles {
  readonly #runs = new Map<string, Run>();
  readonly #byFile = new MultiMap<Run>();
  /** Of each file the run that has a transfer. */
  readonly #atWork = new Map<string, Run>();
  /** Files whose runs are about to be hastened. */
  readonly #inHaste = new Set<string>();

  get(transferId: string): Run | undefined {
    return this.#runs.get(transferId);
  }

  all(): IterableIterator<Run> {
    return this.#runs.values();
  }

  /** In the order of their beginning. */
  ofFile(fileId: string): Run[] {
    return this.#byFile.get(fileId);
  }

  add(run: Run): void {
    this.#runs.set(run.record.id, run);
    this.#byFile.add(run.record.fileId, run);
  }

  delete(run: Run): void {
    const { id, fileId } = run.record;
    this.#runs.delete(id);
    this.#byFile.delete(fileId, run);
    if (this.#atWork.get(fileId) === run) this.#atWork.delete(fileId);
  }

  /** It has a transfer from now on, as no other run of its file does. */
  isAtWork(run: Run, transfer: Transfer): void {
    run.transfer = transfer;
    this.#atWork.set(run.record.fileId, run);
  }

  /** Does the one at work wait for a provider? */
  isStalled(fileId: string): boolean {
    return this.#atWork.get(fileId)?.record.status === "interrupted";
  }

  /** The file is wanted now: those of its runs that wait for their turn begin, of these those that are meant. */
  hasten(fileId: string, isMeant: (record: TransferRecord) => boolean = () => true): void {
    for (const { record, place } of this.ofFile(fileId)) {
      if (!place.turn.isWaiting || !isMeant(record)) continue;
      place.turn.leave();
      place.begin();
    }
  }

  /** Once for all that begin together. */
  hastenSoon(fileId: string): void {
    if (this.#inHaste.has(fileId)) return;
    this.#inHaste.add(fileId);
    queueMicrotask(() => {
      this.#inHaste.delete(fileId);
      this.hasten(fileId);
    });
  }
}
