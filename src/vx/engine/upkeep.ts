/**
 * What an index does by itself: snapshots and backups on a schedule, and work that waits for a quiet moment. Made by the
 * engine, which gives it the work; what fails is kept for the health check and tried again at its next time.
 */
import { VxError } from "../errors.ts";
import type { Failure } from "./engine.ts";
import { MAX_REASON_CHARS, NEXT_TEND_DELAY_MS, SNAPSHOT_RETRY_MS, TEND_DELAY_MS } from "./limits.ts";

export interface UpkeepWork {
  /** Writes a snapshot, if something changed. */
  snapshot: () => Promise<void>;
  /** Whether so much changed that a snapshot is due before its time. */
  isSnapshotDue: () => boolean;
  /** Makes a backup, if something changed. Left out where there is no folder for them. */
  backup?: (() => Promise<void>) | undefined;
  /** Does a short step of work that is best done when nobody waits. True if there may be more. */
  tend: () => boolean;
}

type Task = "snapshot" | "backup";

export class Upkeep {
  readonly #work: UpkeepWork;
  readonly #failures = new Map<Failure["task"], Failure>();
  readonly #running = new Map<Task, Promise<void>>();
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();
  /** By performance.now(); the past where the last one did not. */
  #snapshotFailedMs = Number.NEGATIVE_INFINITY;
  #tending = false;
  #isClosed = false;

  /** Intervals of 0 are never. */
  constructor(work: UpkeepWork, { persistIntervalMs = 0, backupIntervalMs = 0 }) {
    this.#work = work;
    if (persistIntervalMs > 0) this.#keepTimer(setInterval(() => this.#run("snapshot"), persistIntervalMs));
    if (backupIntervalMs > 0 && work.backup !== undefined) {
      this.#keepTimer(setInterval(() => this.#run("backup"), backupIntervalMs));
    }
    // What loading left for later.
    this.#tendIn(TEND_DELAY_MS);
  }

  get failures(): Failure[] {
    return [...this.#failures.values()];
  }

  /** To be called after changes. A snapshot that failed waits for its time, or for a while. */
  changed(): void {
    const isWaiting = performance.now() - this.#snapshotFailedMs < SNAPSHOT_RETRY_MS;
    if (!isWaiting && this.#work.isSnapshotDue()) this.#run("snapshot");
  }

  /** To be called after filtered searches, which show what indexes are wanted. */
  filtered(): void {
    this.#tendIn(TEND_DELAY_MS);
  }

  /** Ends the schedules, and settles when what is under way is done. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#timers) clearInterval(timer);
    await Promise.all(this.#running.values());
  }

  /** Notes how something went that was not started here, too. */
  succeeded(task: Failure["task"]): void {
    this.#failures.delete(task);
    if (task === "snapshot") this.#snapshotFailedMs = Number.NEGATIVE_INFINITY;
  }

  failed(task: Failure["task"], error: unknown): void {
    if (task === "snapshot") this.#snapshotFailedMs = performance.now();
    const reason = error instanceof Error ? error.message : String(error);
    this.#failures.set(task, {
      task,
      code: error instanceof VxError ? error.code : "internal",
      message: reason.slice(0, MAX_REASON_CHARS),
      timestamp: new Date(),
    });
  }

  #tendIn(delayMs: number): void {
    if (this.#tending || this.#isClosed) return;
    this.#tending = true;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#tending = false;
      this.#tend();
    }, delayMs);
    this.#keepTimer(timer);
  }

  #tend(): void {
    try {
      if (this.#work.tend()) this.#tendIn(NEXT_TEND_DELAY_MS);
      this.#failures.delete("tend");
    } catch (error) {
      this.failed("tend", error);
    }
  }

  #run(task: Task): void {
    const work = this.#work[task];
    if (this.#isClosed || work === undefined || this.#running.has(task)) return;
    const ended = work().then(
      () => this.succeeded(task),
      (error: unknown) => this.failed(task, error),
    );
    this.#running.set(
      task,
      ended.finally(() => this.#running.delete(task)),
    );
  }

  /** Timers keep no process alive. */
  #keepTimer(timer: ReturnType<typeof setTimeout>): void {
    this.#timers.add(timer);
    (timer as unknown as { unref?: () => void }).unref?.();
  }
}
