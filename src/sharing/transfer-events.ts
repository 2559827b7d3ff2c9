/** What the world hears of a transfer, as events of the API. Called by transfers; publishes through NodeEvents. */
import type { NodeEvents } from "./events.ts";
import { PROGRESS_EVENT_MS } from "./limits.ts";
import type { Clock } from "./ports.ts";
import type { TransferDetail, TransferRecord } from "./transfer-record.ts";

export class TransferEvents {
  readonly #events: NodeEvents;
  readonly #clock: Clock;
  /** Times of the last progress events of running transfers, monotonic. */
  readonly #progressMs = new Map<string, number>();

  constructor(events: NodeEvents, clock: Clock) {
    this.#events = events;
    this.#clock = clock;
  }

  started({ id, fileId }: TransferRecord): void {
    this.#events.publish("transfer_started", { transfer_id: id, file_id: fileId });
  }

  /** Told of every chunk; publishes now and then. */
  progressed({ id, fileId }: TransferRecord, detail: () => TransferDetail, peers: number): void {
    const nowMs = this.#clock.monotonic();
    const lastMs = this.#progressMs.get(id);
    if (lastMs !== undefined && nowMs - lastMs < PROGRESS_EVENT_MS) return;
    this.#progressMs.set(id, nowMs);
    const { status, progress, bytesPerSecond, estimatedCompletion } = detail();
    this.#events.publish("transfer_progress", {
      transfer_id: id,
      file_id: fileId,
      status,
      progress,
      speed: bytesPerSecond,
      peers,
      estimated_completion: estimatedCompletion?.toISOString() ?? null,
    });
  }

  completed({ id, fileId, sizeBytes, startedAtMs }: TransferRecord): void {
    this.#progressMs.delete(id);
    this.#events.publish("transfer_complete", {
      transfer_id: id,
      file_id: fileId,
      size: sizeBytes ?? 0,
      duration: Math.round((this.#clock.now() - startedAtMs) / 1000),
    });
  }

  cancelled({ id, fileId }: TransferRecord): void {
    this.#progressMs.delete(id);
    this.#events.publish("transfer_cancelled", { transfer_id: id, file_id: fileId });
  }

  interrupted({ id, fileId }: TransferRecord, reason: string): void {
    this.#progressMs.delete(id);
    this.#events.publish("transfer_interrupted", { transfer_id: id, file_id: fileId, reason });
  }

  failed({ id, fileId, error }: TransferRecord): void {
    this.#progressMs.delete(id);
    this.#events.publish("transfer_failed", { transfer_id: id, file_id: fileId, error: error ?? "unknown" });
  }
}
