/**
 * Deliveries that wait: kept in the collection `webhooks` under `job/<number>` until the receiver took them or
 * the attempts are used up, so that they survive a restart. Called by webhooks; calls the host's `deliver`.
 * Bounded: of too many the oldest is dropped, of peers that came and went before all others. Retries back off exponentially with
 * jitter over about a day. Source: Standard Webhooks 1.0, "Operational considerations".
 */
import type { NodeEvent } from "../../sharing/events.ts";
import type { Clock, Log, Records } from "../../sharing/ports.ts";
import {
  DROPPED_WEBHOOKS_LOGGED_MS,
  MAX_WEBHOOK_ATTEMPTS,
  MAX_WEBHOOK_QUEUE,
  MAX_WEBHOOK_SENDS,
  WEBHOOK_FIRST_RETRY_MS,
  WEBHOOK_TIMEOUT_MS,
} from "../limits.ts";

/**
 * Sends one POST and gives the answer. Unless `allowPrivate`, the host resolves the name, refuses every
 * address that `isPublicAddress` does not accept, and connects to an address so checked. Follows no redirect.
 */
export type DeliverWebhook = (
  url: string,
  init: { method: "POST"; headers: Record<string, string>; body: string; redirect: "manual" },
  options: { signal: AbortSignal; allowPrivate: boolean },
) => Promise<Response>;

export interface WebhookTarget {
  url: string;
  allowPrivate: boolean;
  sign: (id: string, sentAt: Date, body: string) => Record<string, string>;
}

export interface QueuePorts {
  records: Records;
  clock: Clock;
  log: Log;
  deliver: DeliverWebhook;
  /** Where deliveries of a webhook go; undefined once it is removed or stopped. */
  target: (hookId: string) => WebhookTarget | undefined;
  /** The receiver at that address answered 410: it wants no more. */
  gone: (hookId: string, url: string) => Promise<void>;
}

interface Job {
  hookId: string;
  /** `webhook-id`, the same at every attempt, so that the receiver can tell a repetition. */
  messageId: string;
  body: string;
  /** Attempts made so far. */
  attempts: number;
  nextAttemptAtMs: number;
}

/** As it is kept in memory: due by the monotonic clock, since that of the machine may be set back by a day. */
interface Waiting {
  job: Job;
  dueMs: number;
}

type Outcome = "taken" | "gone" | "failed";

const PREFIX = "job/";

export class WebhookQueue {
  readonly #ports: QueuePorts;
  /** By key, in the order of the events. */
  readonly #jobs = new Map<string, Waiting>();
  /** The webhook of each that is under way. */
  readonly #sending = new Map<string, string>();
  /** By webhook: why its last delivery of this run was not taken. */
  readonly #failures = new Map<string, string>();
  readonly #stopping = new AbortController();
  #lastNumber = 0;
  /** Jobs dropped since the log was last told so, and when that was. */
  #dropCount = 0;
  #dropsToldMs = Number.NEGATIVE_INFINITY;
  /** Jobs that wait for the disk. */
  #unwritten = 0;
  #wake: () => void = () => undefined;
  /** Changes of the records, one after the other. */
  #written: Promise<void> = Promise.resolve();
  #running: Promise<void> = Promise.resolve();

  private constructor(ports: QueuePorts) {
    this.#ports = ports;
  }

  static async open(ports: QueuePorts): Promise<WebhookQueue> {
    const queue = new WebhookQueue(ports);
    const { clock } = ports;
    for await (const [key, job] of ports.records.entries<Job>("webhooks")) {
      if (!key.startsWith(PREFIX)) continue;
      // The clock may have been set back meanwhile: nothing waits longer than it would have to at most.
      const leftMs = Math.min(job.nextAttemptAtMs - clock.now(), longestRetryDelayMs(job.attempts));
      queue.#jobs.set(key, { job, dueMs: clock.monotonic() + leftMs });
      queue.#lastNumber = Number(key.slice(PREFIX.length));
    }
    queue.#running = queue.#run();
    return queue;
  }

  /** Delivery begins once the job is on disk. */
  add(hookId: string, { event, timestamp, data }: NodeEvent): void {
    if (this.#unwritten >= MAX_WEBHOOK_QUEUE) {
      this.#ports.log.warn("the webhook queue is full, an event is dropped", { hookId, event });
      return;
    }
    this.#unwritten += 1;
    this.#lastNumber += 1;
    const key = PREFIX + String(this.#lastNumber).padStart(16, "0");
    const job: Job = {
      hookId,
      messageId: `msg_${crypto.randomUUID()}`,
      body: JSON.stringify({ event, timestamp, data }),
      attempts: 0,
      nextAttemptAtMs: this.#ports.clock.now(),
    };
    void this.#write(async () => {
      this.#unwritten -= 1;
      await this.#ports.records.put("webhooks", key, job);
      this.#jobs.set(key, { job, dueMs: this.#ports.clock.monotonic() });
      await this.#dropOldest();
      this.#wake();
    });
  }

  /** Settles once all that was added is on disk, or could not be written. */
  kept(): Promise<void> {
    return this.#written;
  }

  stateOf(hookId: string): { waiting: number; failure: string | undefined } {
    const waiting = [...this.#jobs.values()].filter(({ job }) => job.hookId === hookId).length;
    return { waiting, failure: this.#failures.get(hookId) };
  }

  async dropAllOf(hookId: string): Promise<void> {
    this.#failures.delete(hookId);
    await this.#write(async () => {
      await this.#dropJobsOf(hookId);
    });
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error("The node is stopping"));
    this.#wake();
    await this.#running;
    await this.#written;
  }

  /** The one loop: sends what is due, then waits for the next time, a new job or the end of a sending. */
  async #run(): Promise<void> {
    const sends = new Set<Promise<void>>();
    while (!this.#stopping.signal.aborted) {
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      for (const [key, { job }] of this.#due()) {
        this.#sending.set(key, job.hookId);
        const send = this.#attempt(key, job).finally(() => {
          this.#sending.delete(key);
          sends.delete(send);
          this.#wake();
        });
        sends.add(send);
      }
      await this.#sleepUnless(woken);
    }
    await Promise.all(sends);
  }

  /** Of webhooks with the fewest sendings first, so that a receiver which never answers holds up its own alone. */
  #due(): [string, Waiting][] {
    const nowMs = this.#ports.clock.monotonic();
    const sends = new Map<string, number>();
    const ahead = (hookId: string) => {
      const count = sends.get(hookId) ?? 0;
      sends.set(hookId, count + 1);
      return count;
    };
    for (const hookId of this.#sending.values()) ahead(hookId);
    return [...this.#jobs]
      .filter(([key, { dueMs }]) => !this.#sending.has(key) && dueMs <= nowMs)
      .map((entry) => ({ entry, ahead: ahead(entry[1].job.hookId) }))
      .sort((a, b) => a.ahead - b.ahead)
      .slice(0, MAX_WEBHOOK_SENDS - this.#sending.size)
      .map(({ entry }) => entry);
  }

  /** Until the next job is due, or `woken`. With all places taken, the end of a sending wakes. */
  async #sleepUnless(woken: Promise<void>): Promise<void> {
    const waiting = [...this.#jobs].filter(([key]) => !this.#sending.has(key)).map(([, { dueMs }]) => dueMs);
    if (waiting.length === 0 || this.#sending.size >= MAX_WEBHOOK_SENDS) return await woken;
    const timer = new AbortController();
    const waitMs = Math.max(0, Math.min(...waiting) - this.#ports.clock.monotonic());
    const slept = this.#ports.clock.sleep(waitMs, timer.signal).catch(() => undefined);
    await Promise.race([woken, slept]);
    timer.abort();
  }

  async #attempt(key: string, job: Job): Promise<void> {
    const target = this.#ports.target(job.hookId);
    if (target === undefined) return await this.#write(() => this.#drop(key));
    const outcome = await this.#send(job, target);
    if (this.#stopping.signal.aborted && outcome === "failed") return;
    await this.#write(() => this.#settle(key, job, target.url, outcome));
  }

  async #settle(key: string, job: Job, url: string, outcome: Outcome): Promise<void> {
    const { log, clock, records, target, gone } = this.#ports;
    if (!this.#jobs.has(key)) return;
    if (outcome !== "failed") this.#failures.delete(job.hookId);
    if (outcome === "gone") {
      await gone(job.hookId, url);
      if (target(job.hookId) === undefined) return await this.#dropJobsOf(job.hookId);
      // It goes to another address now, to which what waits is sent.
    }
    const attempts = job.attempts + 1;
    if (outcome === "taken" || attempts === MAX_WEBHOOK_ATTEMPTS) {
      if (outcome === "failed") log.warn("a webhook was given up", { hookId: job.hookId, attempts });
      await this.#drop(key);
      return;
    }
    const delayMs = retryDelayMs(attempts, Math.random());
    const retried = { ...job, attempts, nextAttemptAtMs: clock.now() + delayMs };
    this.#jobs.set(key, { job: retried, dueMs: clock.monotonic() + delayMs });
    await records.put("webhooks", key, retried);
  }

  /** Only the status of the answer counts; its body is not read. */
  async #send(job: Job, target: WebhookTarget): Promise<Outcome> {
    const { clock, deliver, log } = this.#ports;
    const timer = new AbortController();
    const signal = AbortSignal.any([this.#stopping.signal, timer.signal]);
    const timedOut = clock.sleep(WEBHOOK_TIMEOUT_MS, timer.signal).then(
      () => timer.abort(new Error("The receiver took too long")),
      () => undefined,
    );
    try {
      const signed = target.sign(job.messageId, new Date(clock.now()), job.body);
      const headers = { "content-type": "application/json", ...signed };
      const init = { method: "POST", headers, body: job.body, redirect: "manual" } as const;
      const response = await deliver(target.url, init, { signal, allowPrivate: target.allowPrivate });
      await response.body?.cancel();
      if (response.status === 410) return "gone";
      if (response.ok) return "taken";
      // A browser tells of a redirect nothing but that it was one.
      this.#failures.set(job.hookId, `the receiver answered ${response.status || "with a redirect"}`);
      log.info("a webhook's receiver refused", { hookId: job.hookId, status: response.status });
    } catch (error) {
      this.#failures.set(job.hookId, "the receiver was not reached");
      log.info("a webhook's receiver was not reached", { hookId: job.hookId, error });
    } finally {
      timer.abort();
      await timedOut;
    }
    return "failed";
  }

  #firstToDrop(): [key: string, job: Job] {
    let oldest: [string, Job] | undefined;
    for (const [key, { job }] of this.#jobs) {
      if (isOfPeers(job)) return [key, job];
      oldest ??= [key, job];
    }
    return oldest as [string, Job];
  }

  async #dropOldest(): Promise<void> {
    while (this.#jobs.size > MAX_WEBHOOK_QUEUE) {
      const [key, job] = this.#firstToDrop();
      this.#tellOfDrop(job.hookId);
      await this.#drop(key);
    }
  }

  /** One a minute: where a receiver is away for days, each event drops another. */
  #tellOfDrop(hookId: string): void {
    const { clock, log } = this.#ports;
    const nowMs = clock.monotonic();
    this.#dropCount += 1;
    if (nowMs - this.#dropsToldMs < DROPPED_WEBHOOKS_LOGGED_MS) return;
    log.warn("the webhook queue is full, its oldest entry is dropped", {
      hookId,
      dropCount: this.#dropCount,
    });
    this.#dropsToldMs = nowMs;
    this.#dropCount = 0;
  }

  async #dropJobsOf(hookId: string): Promise<void> {
    for (const [key, { job }] of this.#jobs) if (job.hookId === hookId) await this.#drop(key);
  }

  async #drop(key: string): Promise<void> {
    this.#jobs.delete(key);
    await this.#ports.records.delete("webhooks", key);
  }

  /** A failing disk costs the change it failed, with a warning, and not the ones after it. */
  #write(change: () => Promise<void>): Promise<void> {
    this.#written = this.#written.then(change).catch((error: unknown) => {
      this.#ports.log.warn("the webhook queue was not written", { error });
    });
    return this.#written;
  }
}

/** Strangers can come and go without end. */
function isOfPeers({ body }: Job): boolean {
  return body.startsWith('{"event":"peer_');
}

function longestRetryDelayMs(attempts: number): number {
  return attempts === 0 ? 0 : retryDelayMs(attempts, 1);
}

/** After `attempts` failures: doubling, and half to one and a half of that, as `random` in 0..1 has it. */
export function retryDelayMs(attempts: number, random: number): number {
  return WEBHOOK_FIRST_RETRY_MS * 2 ** (attempts - 1) * (0.5 + random);
}
