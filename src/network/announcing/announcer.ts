/**
 * Tells the swarm what this node shares: hello until somebody has heard it, changes gathered for a moment, a regular
 * "alive", bye at the end. Called by the swarm; publishes by the function it is given. Two loops, one for changes and
 * one for presence; both send through one queue, so that seq grows in the order of sending.
 */
import { Bell } from "../../sharing/bell.ts";
import type { Clock } from "../../sharing/ports.ts";
import { MessageRate } from "../message-rate.ts";
import type { NetworkLog } from "../network-log.ts";
import { type AnnounceMessage, encodeAnnouncement, type Position } from "./announcement.ts";
import type { Reach } from "./gossip.ts";
import {
  ALIVE_INTERVAL_MS,
  ALIVE_MIN_INTERVAL_MS,
  ANSWER_JITTER_MAX_MS,
  ANSWER_JITTER_PER_AUTHOR_MS,
  COALESCE_MS,
  OWN_MESSAGE_BURST,
  OWN_MESSAGES_PER_SECOND,
} from "./limits.ts";
import type { Change, OwnCatalogue } from "./own-catalogue.ts";

export interface AnnouncerPorts {
  own: OwnCatalogue;
  clock: Clock;
  publish(bytes: Uint8Array): Promise<Reach>;
  addresses(): Uint8Array[];
  /** How many authors are known. */
  swarmSize(): number;
  log: NetworkLog;
}

/** A message before it has its place in time, and what else is told there. */
type Body = Change | { kind: "alive" | "hello" } | { kind: "bye" };

export class Announcer {
  readonly #ports: AnnouncerPorts;
  readonly #epoch: number;
  readonly #rate: MessageRate;
  readonly #changes = new Bell();
  readonly #presence = new Bell();
  readonly #stopping = new AbortController();
  #seq = 0;
  #lastAliveMs = Number.NEGATIVE_INFINITY;
  /** Whoever hears a hello introduces itself. Nobody has heard one since this node was alone. */
  #isNew = true;
  #sending: Promise<void> = Promise.resolve();
  #loops: Promise<unknown> = Promise.resolve();

  constructor(ports: AnnouncerPorts) {
    this.#ports = ports;
    this.#epoch = ports.clock.now();
    this.#rate = new MessageRate(ports.clock, {
      burst: OWN_MESSAGE_BURST,
      perSecond: OWN_MESSAGES_PER_SECOND,
      maxKeys: 1,
    });
  }

  position(): Position {
    return { epoch: this.#epoch, seq: this.#seq, revision: this.#ports.own.revision };
  }

  start(): void {
    const { signal } = this.#stopping;
    this.#loops = Promise.all([this.#tellChanges(signal), this.#tellPresence(signal)]).catch((error) => {
      if (!signal.aborted) this.#ports.log("announcing ended", { error });
    });
  }

  /** The own catalogue has changes. */
  changed(): void {
    this.#changes.ring();
  }

  /** Somebody is new and should hear of this node soon. */
  introduce(): void {
    this.#presence.ring();
  }

  /** Ends the loops and says goodbye. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loops;
    await this.#send({ kind: "bye" });
  }

  async #tellChanges(signal: AbortSignal): Promise<void> {
    const { own, clock } = this.#ports;
    for (;;) {
      await this.#changes.wait(signal);
      await clock.sleep(COALESCE_MS, signal);
      const messages = own.takeChanges();
      for (const message of messages) await this.#sendInTime(message, signal);
      if (messages.length === 0) await this.#sendInTime({ kind: "alive" }, signal);
    }
  }

  async #tellPresence(signal: AbortSignal): Promise<void> {
    const { clock } = this.#ports;
    for (;;) {
      await this.#sendInTime({ kind: this.#isNew ? "hello" : "alive" }, signal);
      const dueMs = clock.monotonic() + ALIVE_INTERVAL_MS;
      const wasAsked = await this.#presence.waitUntil(dueMs, clock, signal);
      if (wasAsked && !this.#isNew) await clock.sleep(this.#pauseMs(), signal);
    }
  }

  /** Before an answer: longer the more others answer too, so that a swarm's answers together stay below a rate. */
  #pauseMs(): number {
    const { clock, swarmSize } = this.#ports;
    const shareMs = swarmSize() * ANSWER_JITTER_PER_AUTHOR_MS;
    const restMs = this.#lastAliveMs + Math.max(ALIVE_MIN_INTERVAL_MS, shareMs) - clock.monotonic();
    return Math.max(0, restMs) + Math.random() * Math.min(shareMs, ANSWER_JITTER_MAX_MS);
  }

  async #sendInTime(body: Body, signal: AbortSignal): Promise<void> {
    while (!this.#rate.take("own")) await this.#ports.clock.sleep(this.#rate.waitMs("own"), signal);
    await this.#send(body);
  }

  #send(body: Body): Promise<void> {
    this.#sending = this.#sending.then(async () => {
      this.#seq += 1;
      if (body.kind === "alive") this.#lastAliveMs = this.#ports.clock.monotonic();
      try {
        const { reached, missed } = await this.#ports.publish(encodeAnnouncement(this.#complete(body)));
        if (reached === 0) this.#isNew = true;
        else if (body.kind === "hello") this.#isNew = false;
        // The next message shows whoever missed a change that it did; it need not wait for its turn.
        if (missed > 0 && "revision" in body) this.introduce();
      } catch (error) {
        // Whoever missed it sees the gap in the next message and asks.
        this.#ports.log("could not publish", { kind: body.kind, error });
      }
    });
    return this.#sending;
  }

  #complete(body: Body): AnnounceMessage {
    const position = this.position();
    switch (body.kind) {
      case "add":
      case "remove":
      case "bye":
        return { ...position, ...body };
      case "alive":
      case "hello":
        return { ...position, kind: body.kind, addresses: this.#ports.addresses() };
    }
  }
}
