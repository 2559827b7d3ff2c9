/**
 * Deliveries that wait, in memory: by webhook, in the order of their events, so that which is next is found without a look at
 * thousands. Kept by queue.
 */

export interface Job {
  hookId: string;
  /** `webhook-id`, the same at every attempt, so that the receiver can tell a repetition. */
  messageId: string;
  body: string;
  /** Attempts made so far. */
  attempts: number;
  nextAttemptAtMs: number;
}

export interface WaitingJob {
  key: string;
  job: Job;
  /** By the monotonic clock, since that of the machine may be set back by a day. */
  dueMs: number;
}

export class WaitingJobs {
  /** The webhook that is sent to goes behind the others. */
  readonly #byHook = new Map<string, Map<string, WaitingJob>>();
  /** Those that are being sent, by webhook. */
  readonly #sending = new Map<string, Set<string>>();
  readonly #goesFirst: (job: Job) => boolean;
  /** By key, in the order of their events. */
  readonly #toGoFirst = new Map<string, WaitingJob>();
  #size = 0;
  #sendingCount = 0;

  /** `goesFirst`: of too many those are dropped before all others. */
  constructor(goesFirst: (job: Job) => boolean) {
    this.#goesFirst = goesFirst;
  }

  get size(): number {
    return this.#size;
  }

  get sendingCount(): number {
    return this.#sendingCount;
  }

  has({ hookId }: Job, key: string): boolean {
    return this.#byHook.get(hookId)?.has(key) ?? false;
  }

  /** A job of that key keeps its place in the order. */
  set(key: string, job: Job, dueMs: number): void {
    const ofHook = this.#byHook.get(job.hookId) ?? new Map<string, WaitingJob>();
    this.#byHook.set(job.hookId, ofHook);
    if (!ofHook.has(key)) this.#size += 1;
    const waiting = { key, job, dueMs };
    ofHook.set(key, waiting);
    if (this.#goesFirst(job)) this.#toGoFirst.set(key, waiting);
  }

  delete({ hookId }: Job, key: string): void {
    const ofHook = this.#byHook.get(hookId);
    if (!ofHook?.delete(key)) return;
    this.#toGoFirst.delete(key);
    this.#size -= 1;
    if (ofHook.size === 0) this.#byHook.delete(hookId);
  }

  of(hookId: string): WaitingJob[] {
    return [...(this.#byHook.get(hookId)?.values() ?? [])];
  }

  countOf(hookId: string): number {
    return this.#byHook.get(hookId)?.size ?? 0;
  }

  /** It is being sent until the function returned is called. */
  sends({ job: { hookId }, key }: WaitingJob): () => void {
    const ofHook = this.#sending.get(hookId) ?? new Set();
    this.#sending.set(hookId, ofHook);
    ofHook.add(key);
    this.#sendingCount += 1;
    const waiting = this.#byHook.get(hookId);
    if (waiting !== undefined) {
      this.#byHook.delete(hookId);
      this.#byHook.set(hookId, waiting);
    }
    return () => {
      ofHook.delete(key);
      this.#sendingCount -= 1;
      if (ofHook.size === 0) this.#sending.delete(hookId);
    };
  }

  /**
   * So many at most that are due and not being sent, those of webhooks with the fewest sendings first, and of as many
   * in turn, so that receivers which never answer hold up their own alone, and others for a turn each, however much
   * waits for them.
   */
  due(nowMs: number, count: number): WaitingJob[] {
    if (count <= 0) return [];
    const found: { waiting: WaitingJob; ahead: number }[] = [];
    for (const [hookId, ofHook] of this.#byHook) {
      const sending = this.#sending.get(hookId);
      let ahead = sending?.size ?? 0;
      const enough = ahead + count;
      for (const waiting of ofHook.values()) {
        if (ahead === enough) break;
        if (waiting.dueMs > nowMs || sending?.has(waiting.key)) continue;
        found.push({ waiting, ahead });
        ahead += 1;
      }
    }
    return found
      .sort((a, b) => a.ahead - b.ahead)
      .slice(0, count)
      .map(({ waiting }) => waiting);
  }

  /** When the next is due that is not being sent; undefined where there is none. */
  nextDueMs(): number | undefined {
    let nextMs: number | undefined;
    for (const [hookId, ofHook] of this.#byHook) {
      const sending = this.#sending.get(hookId);
      for (const { key, dueMs } of ofHook.values())
        if (!sending?.has(key)) nextMs = Math.min(nextMs ?? dueMs, dueMs);
    }
    return nextMs;
  }

  /** Which is dropped first of too many. */
  oldest(): WaitingJob | undefined {
    const [toGoFirst] = this.#toGoFirst.values();
    if (toGoFirst !== undefined) return toGoFirst;
    const oldest = [...this.#byHook.values()].flatMap((ofHook) => ofHook.values().next().value ?? []);
    return oldest.sort((a, b) => (a.key < b.key ? -1 : 1))[0];
  }
}
