/**
 * The downloads of this node: starts, lists, pauses, resumes and cancels them. Called by the node; each running
 * download is a Transfer with a loop of its own, and its record is kept by the ledger.
 */
import { type ChunkMap, ChunkSources, chunkMap } from "./chunk-map.ts";
import { SharingError } from "./errors.ts";
import type { NodeEvents } from "./events.ts";
import { parseFileId } from "./file-id.ts";
import { safeFileName } from "./file-name.ts";
import { DEFAULT_MAX_PEERS } from "./limits.ts";
import type { Strategy } from "./picker.ts";
import type { FileOutput, Files } from "./ports.ts";
import { Transfer, type TransferPorts, UNKNOWN_SOURCE } from "./transfer.ts";
import { TransferEvents } from "./transfer-events.ts";
import type { TransferLedger } from "./transfer-ledger.ts";
import { detailOf, isActive, type TransferDetail, type TransferRecord } from "./transfer-record.ts";

export interface TransferRequest {
  fileId: string;
  /** Where the bytes are copied to; none: they stay in the chunk store. */
  outputPath?: string;
  /** false: from one peer at a time. */
  multiPeer?: boolean;
  maxPeers?: number;
  strategy?: Strategy;
  /** Replace what is at `outputPath`. */
  overwrite?: boolean;
}

export interface TransfersPorts extends TransferPorts {
  files: Files;
  events: NodeEvents;
  /** A file became known or complete: tell the swarm. */
  announce: (fileId: string) => void;
}

type StopReason = "paused" | "cancelled" | "stopped";

interface Running {
  record: TransferRecord;
  stop: AbortController;
  done: Promise<void>;
  transfer: Transfer | undefined;
}

export class Transfers {
  readonly #ports: TransfersPorts;
  readonly #ledger: TransferLedger;
  readonly #events: TransferEvents;
  readonly #running = new Map<string, Running>();
  readonly #sources = new ChunkSources();
  /** The end of the newest transfer of each file: transfers of one file run one after the other. */
  readonly #lastOfFile = new Map<string, Promise<void>>();

  constructor(ports: TransfersPorts, ledger: TransferLedger) {
    this.#ports = ports;
    this.#ledger = ledger;
    this.#events = new TransferEvents(ports.events, ports.clock);
  }

  /** Newest first. */
  list(): TransferDetail[] {
    return this.#ledger.all().map((record) => this.#detail(record));
  }

  /** @throws SharingError `transfer_not_found` */
  get(id: string): TransferDetail {
    return this.#detail(this.#ledger.get(id));
  }

  isDownloading(fileId: string): boolean {
    return this.#ledger.ofFile(fileId).some((record) => isActive(record.status));
  }

  /** Is a transfer of the file under way, with somebody to bring chunks? */
  isRunning(fileId: string): boolean {
    const ofFile = [...this.#running.values()].filter(({ record }) => record.fileId === fileId);
    return ofFile.some(({ record }) => record.status !== "interrupted");
  }

  /** @throws SharingError `bad_request`, `path_forbidden`, `output_exists`, `wrong_state` */
  async start(request: TransferRequest, { isRepair = false } = {}): Promise<TransferDetail> {
    const root = parseFileId(request.fileId);
    const fileId = root.toString();
    const output = await this.#openOutput(request);
    const same = this.#ledger
      .ofFile(fileId)
      .find((record) => isActive(record.status) && record.outputPath === output?.path);
    if (same) {
      await output?.discard();
      return this.#detail(same);
    }
    const record: TransferRecord = {
      id: crypto.randomUUID(),
      fileId,
      name: this.#nameOf(fileId, output?.path),
      ...(output ? { outputPath: output.path } : {}),
      overwrite: request.overwrite ?? false,
      maxPeers: request.multiPeer === false ? 1 : (request.maxPeers ?? DEFAULT_MAX_PEERS),
      strategy: request.strategy ?? "rarest_first",
      status: "started",
      isPaused: false,
      ...(isRepair && { isRepair: true }),
      progress: 0,
      chunksByPeer: [],
      startedAtMs: this.#ports.clock.now(),
    };
    await this.#ledger.add(record);
    this.#events.started(record);
    this.#run(record, output);
    return this.#detail(record);
  }

  /** @throws SharingError `transfer_not_found`, `wrong_state`, `output_exists` */
  async resume(fileIdText: string): Promise<TransferDetail> {
    const fileId = parseFileId(fileIdText).toString();
    const all = this.#ledger.ofFile(fileId);
    const record = all.find((other) => other.status !== "completed");
    if (all.length === 0) throw new SharingError("transfer_not_found", "No transfer of this file is known");
    if (!record) throw new SharingError("wrong_state", "The transfer has completed");
    if (!this.#running.has(record.id)) await this.#goOn(record);
    return this.#detail(record);
  }

  /** Fetches what was lost of a file, unless that is under way or paused: by the transfer that tried it before, or a new one. */
  async repair(fileId: string): Promise<void> {
    const all = this.#ledger.ofFile(fileId);
    if (all.some(({ id, isPaused }) => this.#running.has(id) || isPaused)) return;
    const before = all.find(({ isRepair, status, outputPath }) =>
      isRepair ? status !== "completed" : status === "interrupted" && outputPath === undefined,
    );
    if (before === undefined) await this.start({ fileId }, { isRepair: true });
    else await this.#goOn(before);
  }

  /** Ends the repair of a file that is not wanted any more. */
  async endRepair(fileId: string): Promise<void> {
    const active = this.#ledger.ofFile(fileId).find(({ isRepair, status }) => isRepair && isActive(status));
    if (active !== undefined) await this.cancel(active.id);
  }

  /** Resumes what a restart interrupted. */
  async resumeInterrupted(): Promise<void> {
    for (const record of this.#ledger.all()) {
      const isCut = record.status === "interrupted" && !record.isPaused && !this.#running.has(record.id);
      if (!isCut) continue;
      await this.#goOn(record).catch((error: unknown) => this.#settle(record, "failed", messageOf(error)));
    }
  }

  /** @throws SharingError `transfer_not_found`, `wrong_state` */
  async pause(id: string): Promise<void> {
    const record = this.#ledger.get(id);
    if (!isActive(record.status)) throw new SharingError("wrong_state", `The transfer is ${record.status}`);
    record.isPaused = true;
    await this.#stop(id, "paused");
    await this.#ledger.save(record);
  }

  /** @throws SharingError `transfer_not_found`, `wrong_state` */
  async cancel(id: string): Promise<void> {
    const record = this.#ledger.get(id);
    if (!isActive(record.status)) throw new SharingError("wrong_state", `The transfer is ${record.status}`);
    if (this.#running.has(id)) await this.#stop(id, "cancelled");
    else await this.#cancelled(record);
  }

  /** @throws SharingError `transfer_not_found` */
  chunkMap(id: string, maxEntries: number): ChunkMap {
    const record = this.#ledger.get(id);
    const entry = this.#ports.catalog.find(record.fileId);
    const transfer = this.#running.get(id)?.transfer;
    return chunkMap({
      chunkCount: entry?.manifest.chunkCount ?? 0,
      maxEntries,
      isHeld: (index) => entry?.holding.has(index) ?? false,
      isAsked: (index) => transfer?.isAsked(index) ?? false,
      sourceOf: (index) => {
        const source = transfer?.sources[index] ?? UNKNOWN_SOURCE;
        return source === UNKNOWN_SOURCE ? this.#sources.sourceOf(id, index) : source;
      },
      peers: record.chunksByPeer.map(([peerId]) => peerId),
    });
  }

  /** Stops all; they read as interrupted and can be resumed. */
  async stop(): Promise<void> {
    await Promise.all([...this.#running.keys()].map((id) => this.#stop(id, "stopped")));
  }

  async #goOn(record: TransferRecord): Promise<void> {
    const output = await this.#openOutput(record);
    if (this.#running.has(record.id)) {
      await output?.discard();
      return;
    }
    Object.assign(record, { status: "resumed", isPaused: false });
    delete record.endedAtMs;
    delete record.error;
    this.#run(record, output);
    await this.#ledger.save(record);
  }

  async #stop(id: string, reason: StopReason): Promise<void> {
    const running = this.#running.get(id);
    running?.stop.abort(reason);
    await running?.done;
  }

  async #openOutput(wish: { outputPath?: string; overwrite?: boolean }): Promise<FileOutput | undefined> {
    if (wish.outputPath === undefined) return undefined;
    return this.#ports.files.openOutput(wish.outputPath, { overwrite: wish.overwrite ?? false });
  }

  #run(record: TransferRecord, output: FileOutput | undefined): void {
    const running: Running = {
      record,
      stop: new AbortController(),
      transfer: undefined,
      done: Promise.resolve(),
    };
    const before = this.#lastOfFile.get(record.fileId);
    const done = this.#runToEnd(record, output, running, before).finally(() => {
      this.#running.delete(record.id);
      if (running.transfer !== undefined) this.#sources.keep(record.id, running.transfer.sources);
      if (this.#lastOfFile.get(record.fileId) === done) this.#lastOfFile.delete(record.fileId);
      this.#ports.catalog.find(record.fileId)?.holding.notify();
    });
    running.done = done;
    this.#running.set(record.id, running);
    this.#lastOfFile.set(record.fileId, done);
  }

  async #runToEnd(
    record: TransferRecord,
    output: FileOutput | undefined,
    running: Running,
    before: Promise<void> | undefined,
  ): Promise<void> {
    const { signal } = running.stop;
    try {
      await before;
      signal.throwIfAborted();
      await this.#transfer(record, output, running).run();
      this.#refresh(record);
      await this.#completed(record);
    } catch (error) {
      await output?.discard();
      this.#refresh(record);
      if (!signal.aborted) await this.#settle(record, "failed", messageOf(error));
      else if (signal.reason === "cancelled") await this.#cancelled(record);
      else await this.#interrupted(record, signal.reason === "paused" ? "paused" : "the node stopped");
    }
  }

  #transfer(record: TransferRecord, output: FileOutput | undefined, running: Running): Transfer {
    const chunksByPeer = new Map(record.chunksByPeer);
    const heldBefore = this.#ports.catalog.find(record.fileId)?.holding.heldCount ?? 0;
    let isAnnounced = false;
    running.transfer = new Transfer(this.#ports, {
      root: parseFileId(record.fileId),
      name: record.name,
      maxPeers: record.maxPeers,
      strategy: record.strategy,
      output,
      chunksByPeer,
      signal: running.stop.signal,
      onStall: (isStalled) => void this.#stalled(record, isStalled),
      onProgress: () => {
        record.chunksByPeer = [...chunksByPeer];
        const holding = this.#ports.catalog.find(record.fileId)?.holding;
        if ((holding?.heldCount ?? 0) > heldBefore) record.status = "in_progress";
        if (!isAnnounced) this.#ports.announce(record.fileId);
        isAnnounced = true;
        this.#events.progressed(record, () => this.#detail(record), running.transfer?.speeds().size ?? 0);
      },
    });
    return running.transfer;
  }

  async #stalled(record: TransferRecord, isStalled: boolean): Promise<void> {
    if (isStalled) {
      await this.#interrupted(record, "no provider is left");
      this.#ports.catalog.find(record.fileId)?.holding.notify();
      return;
    }
    record.status = "resumed";
    delete record.error;
    await this.#ledger.save(record);
  }

  async #completed(record: TransferRecord): Promise<void> {
    const entry = this.#ports.catalog.find(record.fileId);
    if (entry) await this.#ports.catalog.completed(entry);
    this.#ports.announce(record.fileId);
    await this.#settle(record, "completed");
    this.#events.completed(record);
  }

  async #cancelled(record: TransferRecord): Promise<void> {
    const { catalog } = this.#ports;
    await this.#settle(record, "cancelled");
    const entry = catalog.find(record.fileId);
    const isPartial = entry && !entry.holding.isComplete && !entry.wasComplete;
    if (isPartial && !this.isDownloading(record.fileId)) await catalog.remove(entry.id);
    this.#events.cancelled(record);
  }

  async #interrupted(record: TransferRecord, reason: string): Promise<void> {
    Object.assign(record, { status: "interrupted", error: reason });
    await this.#ledger.save(record);
    this.#events.interrupted(record, reason);
  }

  async #settle(
    record: TransferRecord,
    status: "completed" | "failed" | "cancelled",
    error?: string,
  ): Promise<void> {
    Object.assign(record, { status, endedAtMs: this.#ports.clock.now() });
    if (error !== undefined) record.error = error;
    await this.#ledger.save(record);
    if (status === "failed") this.#events.failed(record);
  }

  /** Brings progress and size up to what the catalog knows. */
  #refresh(record: TransferRecord): void {
    const entry = this.#ports.catalog.find(record.fileId);
    if (!entry) return;
    record.sizeBytes = entry.manifest.sizeBytes;
    record.progress = entry.holding.heldCount / entry.manifest.chunkCount;
  }

  #detail(record: TransferRecord): TransferDetail {
    const transfer = this.#running.get(record.id)?.transfer;
    if (isActive(record.status)) this.#refresh(record);
    const live = transfer && { bytesPerSecond: transfer.meter.bytesPerSecond(), speeds: transfer.speeds() };
    return detailOf(record, live, this.#ports.clock.now());
  }

  #nameOf(fileId: string, outputPath: string | undefined): string {
    const known = this.#ports.catalog.find(fileId)?.name ?? this.#ports.swarm.offer(fileId)?.name;
    return known ?? safeFileName(outputPath?.split(/[/\\]/).pop() ?? fileId);
  }
}

function messageOf(error: unknown): string {
  return error instanceof SharingError ? error.message : "an internal error";
}
