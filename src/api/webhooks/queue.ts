/**
 * Deliveries that wait: kept in the collection `webhooks` under `job/<number>` until the receiver took them or
 * the attempts are used up, so that they survive a restart. Called by webhooks; calls waiting-jobs
 * and the host's `deliver`. Bounded: of too many the oldest is dropped, of peers that came and went before all
 * others. Retries back off exponentially with jitter over about a day. Source: Standard Webhooks 1.0, "Operational
 * considerations".
 */
import { Bell } from "../../sharing/bell.ts";
import type { NodeEvent } from "../../sharing/events.ts";
import type { Clock, Log, Records } from "../../sharing/ports.ts";
import { RepeatedWarning } from "../../sharing/repeated-warning.ts";
import {
  MAX_WEBHOOK_ATTEMPTS,
  MAX_WEBHOOK_QUEUE,
  MAX_WEBHOOK_SENDS,
  WEBHOOK_FIRST_RETRY_MS,
  WEBHOOK_TIMEOUT_MS,
} from "../limits.ts";
import { type Job, WaitingJobs } from "./waiting-jobs.ts";

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

type Outcome = "taken" | "gone" | "failed";

const PREFIX = "job/";

export class WebhookQueue {
  readonly #ports: QueuePorts;
  readonly #jobs = new WaitingJobs(isOfPeers);
  /** By webhook: why its last delivery of this run was not taken. */
  readonly #failures = new Map<string, string>();
  readonly #stopping = new AbortController();
  #lastNumber = 0;
  readonly #drops: RepeatedWarning;
  readonly #unwrittenChanges: RepeatedWarning;
  /** Jobs that wait for the disk. */
  #unwritten = 0;
  /** Rings for a new job, and at the end of a sending. */
  readonly #bell = new Bell();
  /** The end of all changes of the records so far, which these make in order. */
  #written: Promise<void> = Promise.resolve();
  #running: Promise<void> = Promise.resolve();

  private constructor(ports: QueuePorts) {
    this.#ports = ports;
    this.#drops = new RepeatedWarning(ports, "the webhook queue is full, and events are dropped");
    this.#unwrittenChanges = new RepeatedWarning(ports, "the webhook queue was not written");
  }

  static async open(ports: QueuePorts): Promise<WebhookQueue> {
    const queue = new WebhookQueue(ports);
    const { clock } = ports;
    for await (const [key, job] of ports.records.entries<Job>("webhooks")) {
      if (!key.startsWith(PREFIX)) continue;
      // The clock may have been set back meanwhile: nothing waits longer than it would have to at most.
      const leftMs = Math.min(job.nextAttemptAtMs - clock.now(), longestRetryDelayMs(job.attempts));
      queue.#jobs.set(key, job, clock.monotonic() + leftMs);
      queue.#lastNumber = Number(key.slice(PREFIX.length));
    }
    queue.#running = queue.#run();
    return queue;
  }

  /** Delivery begins once the job is on disk. */
  add(hookId: string, { event, timestamp, data }: NodeEvent): void {
    if (this.#unwritten >= MAX_WEBHOOK_QUEUE) {
      this.#drops.tell({ hookId });
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
      await this.#ports.records.put("webhooks", key, job).finally(() => {
        this.#unwritten -= 1;
      });
      this.#jobs.set(key, job, this.#ports.clock.monotonic());
      this.#bell.ring();
      await this.#dropOldest();
    });
  }

  /** Settles once all that was added is on disk, or could not be written. */
  async kept(): Promise<void> {
    await this.#written;
  }

  stateOf(hookId: string): { waiting: number; failure: string | undefined } {
    return { waiting: this.#jobs.countOf(hookId), failure: this.#failures.get(hookId) };
  }

  /** Of one that is told of nothing any more. */
  async dropAllOf(hookId: string): Promise<void> {
    this.#failures.delete(hookId);
    await this.kept();
    await this.#write(() => this.#dropJobsOf(hookId));
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error("The node is stopping"));
    await this.#running;
    await this.#written;
  }

  /** The one loop: sends what is due, then waits for the next time, a new job or the end of a sending. */
  async #run(): Promise<void> {
    const { clock } = this.#ports;
    const { signal } = this.#stopping;
    const sends = new Set<Promise<void>>();
    while (!signal.aborted) {
      const places = MAX_WEBHOOK_SENDS - this.#jobs.sendingCount;
      for (const waiting of this.#jobs.due(clock.monotonic(), places)) {
        const sent = this.#jobs.sends(waiting);
        const send = this.#attempt(waiting.key, waiting.job).finally(() => {
          sent();
          sends.delete(send);
          this.#bell.ring();
        });
        sends.add(send);
      }
      // It throws where the queue is stopped, which ends the loop.
      await this.#bell.waitUntil(this.#nextMs(), clock, signal).catch(() => undefined);
    }
    await Promise.all(sends);
  }

  /** When the next job is due that there is a place for: with all of them taken, the end of a sending has to come before. */
  #nextMs(): number {
    const isFull = this.#jobs.sendingCount >= MAX_WEBHOOK_SENDS;
    return (isFull ? undefined : this.#jobs.nextDueMs()) ?? Number.POSITIVE_INFINITY;
  }

  async #attempt(key: string, job: Job): Promise<void> {
    const target = this.#ports.target(job.hookId);
    if (target === undefined) return await this.#write(() => this.#drop(key, job));
    const outcome = await this.#send(job, target);
    if (this.#stopping.signal.aborted && outcome === "failed") return;
    await this.#write(() => this.#settle(key, job, target.url, outcome));
  }

  async #settle(key: string, job: Job, url: string, outcome: Outcome): Promise<void> {
    const { log, clock, records, target, gone } = this.#ports;
    if (!this.#jobs.has(job, key)) return;
    if (outcome !== "failed") this.#failures.delete(job.hookId);
    if (outcome === "gone") {
      await gone(job.hookId, url);
      if (target(job.hookId) === undefined) return await this.#dropJobsOf(job.hookId);
      // It goes to another address now, to which what waits is sent.
    }
    const attempts = job.attempts + 1;
    if (outcome === "taken" || attempts === MAX_WEBHOOK_ATTEMPTS) {
      if (outcome === "failed") log.warn("a webhook was given up", { hookId: job.hookId, attempts });
      await this.#drop(key, job);
      return;
    }
    const delayMs = retryDelayMs(attempts, Math.random());
    const retried = { ...job, attempts, nextAttemptAtMs: clock.now() + delayMs };
    this.#jobs.set(key, retried, clock.monotonic() + delayMs);
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
      await response.body?.cancel().catch(() => undefined);
      if (response.status === 410) return "gone";
      if (response.ok) return "taken";
      // A browser tells of a redirect nothing but that it was one.
      this.#failed(job.hookId, `the receiver answered ${response.status || "with a redirect"}`);
      log.info("a webhook's receiver refused", { hookId: job.hookId, status: response.status });
    } catch (error) {
      this.#failed(job.hookId, "the receiver was not reached");
      log.info("a webhook's receiver was not reached", { hookId: job.hookId, error });
    } finally {
      timer.abort();
      await timedOut;
    }
    return "failed";
  }

  /** Of a hook that was removed meanwhile nobody asks. */
  #failed(hookId: string, why: string): void {
    if (this.#ports.target(hookId) !== undefined) this.#failures.set(hookId, why);
  }

  async #dropOldest(): Promise<void> {
    while (this.#jobs.size > MAX_WEBHOOK_QUEUE) {
      const oldest = this.#jobs.oldest();
      if (oldest === undefined) return;
      this.#drops.tell({ hookId: oldest.job.hookId });
      await this.#drop(oldest.key, oldest.job);
    }
  }

  async #dropJobsOf(hookId: string): Promise<void> {
    await Promise.all(this.#jobs.of(hookId).map(({ key, job }) => this.#drop(key, job)));
  }

  async #drop(key: string, job: Job): Promise<void> {
    this.#jobs.delete(job, key);
    await this.#ports.records.delete("webhooks", key);
  }

  /** A failing disk costs the change it failed, with a warning, and no other. */
  async #write(change: () => Promise<void>): Promise<void> {
    const written = change().catch((error: unknown) => {
      this.#unwrittenChanges.tell({ error });
    });
    const before = this.#written;
    // Of all that was written nothing may stay in memory.
    this.#written = before.then(() => written);
    await written;
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
