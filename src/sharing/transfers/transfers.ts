/**
 * The downloads of this node as others ask for them: start, list, pause, resume, cancel, and repair what was lost. Called
 * by the node; records are kept by the ledger, transfer-runs does the work, transfer-states notes what becomes of it, and
 * transfer-outputs says where its file may come to.
 */
import { isSharingError, SharingError } from "../errors.ts";
import { parseFileId } from "../file-id.ts";
import { safeFileName } from "../file-name.ts";
import { KeyedQueue } from "../keyed-queue.ts";
import type { Files } from "../ports.ts";
import { type ChunkMap, chunkMap } from "./chunk-map.ts";
import type { PlannedOutput } from "./planned-output.ts";
import type { TransferLedger } from "./transfer-ledger.ts";
import { TransferOutputs } from "./transfer-outputs.ts";
import {
  isActive,
  isRunning,
  type TransferDetail,
  type TransferRecord,
  type TransferStatus,
} from "./transfer-record.ts";
import { allowsLength, recordOf, type TransferRequest } from "./transfer-request.ts";
import { TransferRuns, type TransferRunsPorts } from "./transfer-runs.ts";
import { TransferStates, type TransferStatesPorts } from "./transfer-states.ts";

export interface TransfersPorts extends TransferRunsPorts, TransferStatesPorts {
  files: Files;
  /** A file is on its way whose name nobody has told yet. */
  onUnnamed: (fileId: string) => void;
  /** The node's end. */
  signal: AbortSignal;
}

export class Transfers {
  readonly #ports: TransfersPorts;
  readonly #ledger: TransferLedger;
  readonly #states: TransferStates;
  readonly #runs: TransferRuns;
  readonly #outputs: TransferOutputs;
  /** What is asked for of one file is done in that order, each when the one before has taken effect: the last wish holds. */
  readonly #wishes = new KeyedQueue(Number.POSITIVE_INFINITY);

  constructor(ports: TransfersPorts) {
    this.#ports = ports;
    this.#ledger = ports.ledger;
    this.#states = new TransferStates(ports);
    this.#runs = new TransferRuns(ports, this.#states);
    this.#outputs = new TransferOutputs({ ...ports, runs: this.#runs });
  }

  /** Newest first. */
  list(): TransferDetail[] {
    return this.#ledger.all().map((record) => this.#runs.detail(record));
  }

  /** @throws SharingError `transfer_not_found` */
  get(id: string): TransferDetail {
    return this.#runs.detail(this.#ledger.get(id));
  }

  get areAnyBrought(): boolean {
    return this.#runs.areAnyBrought;
  }

  /** Is a transfer of the file under way, with somebody to bring chunks? */
  isBusy(fileId: string): boolean {
    return this.#runs.isBusy(fileId);
  }

  /** Somebody reads the file: what brings it waits for no turn. */
  hasten(fileId: string): void {
    this.#runs.hasten(fileId);
  }

  /**
   * Where the file already comes to that place, that transfer is meant, also if it is paused or was cut off.
   * @throws SharingError `bad_request`, `path_forbidden`, `output_exists`, `wrong_state`
   */
  async start(request: TransferRequest): Promise<TransferDetail> {
    const fileId = parseFileId(request.fileId).toString();
    return this.#wishes.run(fileId, async () => {
      try {
        return await this.#start(fileId, request);
      } catch (error) {
        const { outputPath, keepBrought = false } = request;
        const isTaken = outputPath !== undefined && isSharingError(error, "output_exists");
        const brought = keepBrought && isTaken && (await this.#outputs.broughtTo(outputPath, fileId));
        if (!brought) throw error;
        return this.#runs.detail(brought);
      }
    });
  }

  /** What is asked for of a folder meanwhile is all noted before any of it runs, which would hold up the rest. */
  async together<T>(folderId: string, ask: () => Promise<T>): Promise<T> {
    const release = this.#runs.hold(folderId);
    try {
      return await ask();
    } finally {
      release();
    }
  }

  async #start(
    fileId: string,
    request: Omit<TransferRequest, "fileId">,
    { isRepair = false } = {},
  ): Promise<TransferDetail> {
    const output = await this.#outputs.plan(request, fileId);
    const isSame = (record: TransferRecord) =>
      isActive(record.status) && record.outputPath === output?.path && allowsLength(record, request);
    const same = this.#ledger.ofFile(fileId).find(isSame);
    if (same) {
      await output?.discard();
      await this.#join(same, request);
      return this.#runs.detail(same);
    }
    const record = recordOf(request, {
      fileId,
      name: this.#nameOf(fileId, request.name ?? output?.path.split(/[/\\]/).pop()),
      outputPath: output?.path,
      isRepair,
      startedAtMs: this.#ports.clock.now(),
    });
    try {
      this.#outputs.expectFree(output?.path, fileId);
      await this.#ledger.add(record);
    } catch (error) {
      await output?.discard();
      throw error;
    }
    if (record.name === fileId) this.#ports.onUnnamed(fileId);
    this.#runs.begin(record, output);
    return this.#runs.detail(record);
  }

  /** What brings the file already does so as this request has it, too. */
  async #join(record: TransferRecord, request: Omit<TransferRequest, "fileId">): Promise<void> {
    // Nobody is to be told of its file, by this process or the next.
    if (request.isUnlisted) record.isUnlisted = true;
    // It is wanted whatever a folder's list says.
    const isAnyLength = request.saidBytes === undefined && record.saidBytes !== undefined;
    if (isAnyLength) delete record.saidBytes;
    // Its output was opened when it was not to replace anything.
    const mayReplace = request.overwrite === true && !record.overwrite;
    if (mayReplace) record.overwrite = true;
    if (request.isUnlisted || isAnyLength || mayReplace) await this.#states.keep(record);
    if (mayReplace || !this.#runs.has(record.id)) await this.#runAnew(record);
    // It is wanted without its folder.
    if (request.partOf === undefined) this.#runs.hasten(record.fileId, ({ partOf }) => partOf !== undefined);
  }

  /** @throws SharingError `transfer_not_found`, `wrong_state`, `output_exists` */
  async resume(fileIdText: string): Promise<TransferDetail> {
    const fileId = parseFileId(fileIdText).toString();
    return this.#wishes.run(fileId, () => this.#resume(fileId));
  }

  async #resume(fileId: string): Promise<TransferDetail> {
    const all = this.#ledger.ofFile(fileId);
    const record =
      all.find(({ status }) => status === "interrupted") ??
      // Nobody wants what was cancelled, as long as there is another.
      all.find(({ status }) => status !== "completed" && status !== "cancelled") ??
      all.find(({ status }) => status === "cancelled");
    if (all.length === 0) throw new SharingError("transfer_not_found", "No transfer of this file is known");
    if (!record) throw new SharingError("wrong_state", "The transfer has completed");
    await this.#goOn(record);
    return this.#runs.detail(record);
  }

  /** Resumes what a restart interrupted. */
  async resumeInterrupted(): Promise<void> {
    // Who has its turn at a peer is who comes first.
    for (const record of this.#ledger.all().reverse()) {
      if (record.status !== "interrupted" || record.isPaused) continue;
      await this.#wishes
        .run(record.fileId, () => this.#runWith(record, this.#outputs.planLater(record)))
        .catch((error: unknown) => this.#states.failed(record, error));
    }
  }

  /** Fetches what is lost of a file, unless that is under way or paused: by the transfer that tried it before, or a new one. */
  async repair(fileId: string): Promise<void> {
    await this.#wishes.run(fileId, () => this.#repair(fileId));
  }

  async #repair(fileId: string): Promise<void> {
    if (!this.#ports.catalog.isLossy(fileId)) return;
    const all = this.#ledger.ofFile(fileId);
    const isPaused = (record: TransferRecord) => record.isPaused && record.status === "interrupted";
    if (all.some((record) => this.#runs.has(record.id) || isPaused(record))) return;
    const before = all.find(({ isRepair, status, outputPath }) =>
      isRepair ? status !== "completed" : status === "interrupted" && outputPath === undefined,
    );
    if (before === undefined) await this.#start(fileId, {}, { isRepair: true });
    else await this.#goOn(before);
  }

  /**
   * Takes a file away, after the end of its repair and before what is asked for of it meanwhile.
   * @throws SharingError `wrong_state` (being downloaded), and what `remove` throws
   */
  async remove(fileId: string, remove: () => Promise<void>): Promise<void> {
    await this.#wishes.run(fileId, async () => {
      const active = this.#ledger.ofFile(fileId).filter(({ status }) => isActive(status));
      if (!active.every(({ isRepair }) => isRepair)) {
        throw new SharingError("wrong_state", "The file is being downloaded; cancel the transfer first");
      }
      for (const repair of active) await this.#end(repair);
      for (const record of this.#ledger.ofFile(fileId)) await this.#states.keepUnlisted(record);
      await remove();
    });
  }

  /** @throws SharingError `transfer_not_found`, `wrong_state` (also where it ended otherwise meanwhile) */
  async pause(id: string): Promise<void> {
    await this.#wish(id, async (record) => {
      record.isPaused = true;
      await this.#runs.stop(id, "paused");
      expectStatus(record, isActive);
      await this.#states.keep(record);
    });
  }

  /** @throws SharingError `transfer_not_found`, `wrong_state` (also where it ended otherwise meanwhile) */
  async cancel(id: string): Promise<void> {
    await this.#wish(id, async (record) => {
      await this.#end(record);
      expectStatus(record, (status) => status === "cancelled");
    });
  }

  /** Every chunk, or at most `maxEntries` of them evenly spread. @throws SharingError `transfer_not_found` */
  chunkMap(id: string, maxEntries: number): ChunkMap {
    const record = this.#ledger.get(id);
    const entry = this.#ports.catalog.find(record.fileId);
    return chunkMap({
      chunkCount: entry?.manifest.chunkCount ?? 0,
      maxEntries,
      isHeld: (index) => entry?.holding.has(index) ?? false,
      isAsked: (index) => this.#runs.isAsked(id, index),
      sourceOf: (index) => this.#runs.sourceOf(id, index),
      peers: record.chunksByPeer.map(([peerId]) => peerId),
    });
  }

  /** Stops all; they read as interrupted and can be resumed. Settles when what was asked for before is done, too. */
  async stop(): Promise<void> {
    await this.#runs.stopAll();
    await this.#wishes.idle();
    // What these began has ended at once.
    await this.#runs.stopAll();
  }

  /** Cancels a transfer, unless it ends before. One that is about to be interrupted is so first. */
  async #end(record: TransferRecord): Promise<void> {
    await this.#runs.stop(record.id, "cancelled");
    if (isActive(record.status)) await this.#states.cancelled(record);
  }

  /** Runs a transfer again, unless it is running. One that waits for a provider is begun anew, which looks for one at once. */
  async #goOn(record: TransferRecord): Promise<void> {
    if (!isRunning(record.status)) await this.#runAnew(record);
  }

  /** Once its run, if there is one, has ended, unless all came. Where its output is refused it is left as it is. */
  async #runAnew(record: TransferRecord): Promise<void> {
    await this.#runWith(record, await this.#outputs.planAgain(record));
  }

  async #runWith(record: TransferRecord, output: PlannedOutput | undefined): Promise<void> {
    await this.#runs.stop(record.id, "resumed");
    if (record.status === "completed") {
      await output?.discard();
      return;
    }
    try {
      // It may have been forgotten meanwhile.
      this.#ledger.get(record.id);
      this.#outputs.expectFree(output?.path, record.fileId);
    } catch (error) {
      await output?.discard();
      throw error;
    }
    // The next process would go on with it as well: nothing of that need be noted.
    const isNoted = record.status === "interrupted" && !record.isPaused;
    Object.assign(record, { status: "resumed", isPaused: false });
    // What a cancelled transfer had brought is gone.
    if (!this.#ports.catalog.find(record.fileId)) {
      Object.assign(record, { progress: 0, chunksByPeer: [] });
      this.#runs.forgetSources(record.id);
    }
    delete record.endedAtMs;
    delete record.error;
    this.#runs.begin(record, output);
    if (!isNoted) await this.#states.keep(record);
  }

  /** Of a transfer that is not over when its turn comes. @throws SharingError `transfer_not_found`, `wrong_state` */
  async #wish(id: string, work: (record: TransferRecord) => Promise<void>): Promise<void> {
    const { fileId } = this.#ledger.get(id);
    await this.#wishes.run(fileId, async () => {
      // One that could not be noted is not known any more.
      const record = this.#ledger.get(id);
      expectStatus(record, isActive);
      await work(record);
    });
  }

  #nameOf(fileId: string, wishedName: string | undefined): string {
    const known = this.#ports.catalog.find(fileId)?.name ?? this.#ports.swarm.offer(fileId)?.name;
    return known ?? safeFileName(wishedName ?? fileId);
  }
}

/** @throws SharingError `wrong_state` */
function expectStatus({ status }: TransferRecord, isExpected: (status: TransferStatus) => boolean): void {
  if (!isExpected(status)) throw new SharingError("wrong_state", `The transfer is ${status}`);
}
