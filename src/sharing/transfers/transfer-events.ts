/** What the world hears of a transfer, as events of the API. Called by transfer-states; publishes through NodeEvents. */
import type { NodeEventData, NodeEvents } from "../events.ts";
import { PROGRESS_EVENT_MS } from "../limits.ts";
import type { Clock } from "../ports.ts";
import type { TransferDetail, TransferRecord } from "./transfer-record.ts";

type Progress = NodeEventData["transfer_progress"];

export class TransferEvents {
  readonly #events: NodeEvents;
  readonly #clock: Clock;
  /** Monotonic times at which transfers of this process began, which no setting of the machine's clock makes longer. */
  readonly #startedMs = new WeakMap<TransferRecord, number>();
  /** The last progress events of running transfers, with their monotonic times. */
  readonly #told = new Map<string, { atMs: number; data: Progress }>();

  constructor(events: NodeEvents, clock: Clock) {
    this.#events = events;
    this.#clock = clock;
  }

  started(record: TransferRecord): void {
    const { id, fileId } = record;
    this.#startedMs.set(record, this.#clock.monotonic());
    this.#events.publish("transfer_started", { transfer_id: id, file_id: fileId });
  }

  /** Told of every chunk, and each second that none comes; publishes now and then, and nothing twice. */
  progressed({ id, fileId }: TransferRecord, detail: () => TransferDetail, peers: number): void {
    const atMs = this.#clock.monotonic();
    const last = this.#told.get(id);
    if (last !== undefined && atMs - last.atMs < PROGRESS_EVENT_MS) return;
    const { status, progress, bytesPerSecond: speed, estimatedCompletion } = detail();
    if (last !== undefined && isSame(last.data, { status, progress, speed, peers })) return;
    const data = {
      transfer_id: id,
      file_id: fileId,
      status,
      progress,
      speed,
      peers,
      estimated_completion: estimatedCompletion?.toISOString() ?? null,
    };
    this.#told.set(id, { atMs, data });
    this.#events.publish("transfer_progress", data);
  }

  completed(record: TransferRecord): void {
    const { id, fileId, sizeBytes } = record;
    this.#told.delete(id);
    this.#events.publish("transfer_complete", {
      transfer_id: id,
      file_id: fileId,
      size: sizeBytes ?? 0,
      duration: Math.round(this.#durationMs(record) / 1000),
    });
  }

  /** Of one that an earlier process began, only the clock of the machine can tell. */
  #durationMs(record: TransferRecord): number {
    const startedMs = this.#startedMs.get(record);
    if (startedMs !== undefined) return this.#clock.monotonic() - startedMs;
    return Math.max(0, this.#clock.now() - record.startedAtMs);
  }

  cancelled({ id, fileId }: TransferRecord): void {
    this.#told.delete(id);
    this.#events.publish("transfer_cancelled", { transfer_id: id, file_id: fileId });
  }

  interrupted({ id, fileId }: TransferRecord, reason: string): void {
    this.#told.delete(id);
    this.#events.publish("transfer_interrupted", { transfer_id: id, file_id: fileId, reason });
  }

  failed({ id, fileId, error }: TransferRecord): void {
    this.#told.delete(id);
    this.#events.publish("transfer_failed", { transfer_id: id, file_id: fileId, error: error ?? "unknown" });
  }
}

type Figures = Pick<Progress, "status" | "progress" | "speed" | "peers">;

function isSame(told: Figures, { status, progress, speed, peers }: Figures): boolean {
  return told.status === status && told.progress === progress && told.speed === speed && told.peers === peers;
}
