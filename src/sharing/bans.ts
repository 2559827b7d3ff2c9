/**
 * Strikes against peers that break the rules, and the bans that follow. Transfers strike those that are asked, the
 * node those that ask; the swarm refuses the banned. Survives restarts. What counts is the time that has passed, whatever the
 * clock of the machine is set to; only from one run to the next there is nothing else to go by.
 */
import { forgetOldest } from "./forget-oldest.ts";
import { BAN_MS, MAX_STRIKING_PEERS, STRIKES_TO_BAN } from "./limits.ts";
import type { Clock, Log, RecordChange, Records, Swarm } from "./ports.ts";

/** What peers are struck for. */
export const BREACHES = ["hash_mismatch", "protocol_error", "bad_manifest"] as const;

interface BanRecord {
  strikes: number;
  /** Milliseconds since the epoch; 0: not banned. */
  untilMs: number;
}

interface Striker {
  strikes: number;
  /** By the monotonic clock. */
  bannedUntilMs: number;
}

export class Bans {
  readonly #records: Records;
  readonly #swarm: Swarm;
  readonly #clock: Clock;
  readonly #log: Log;
  /** In the order of the last strike. */
  readonly #peers = new Map<string, Striker>();
  /** What was struck for: of a breach that ends a conversation all hear who used it. */
  readonly #counted = new WeakSet<Error>();

  private constructor(records: Records, swarm: Swarm, clock: Clock, log: Log) {
    this.#records = records;
    this.#swarm = swarm;
    this.#clock = clock;
    this.#log = log;
  }

  static async open(records: Records, swarm: Swarm, clock: Clock, log: Log): Promise<Bans> {
    const bans = new Bans(records, swarm, clock, log);
    for await (const [peerId, record] of records.entries<BanRecord>("bans")) {
      // The clock may have been set back meanwhile: no ban has longer to go than it had at first.
      const leftMs = Math.min(record.untilMs - clock.now(), BAN_MS);
      bans.#peers.set(peerId, { strikes: record.strikes, bannedUntilMs: clock.monotonic() + leftMs });
      if (leftMs > 0) swarm.ban(peerId, leftMs);
    }
    return bans;
  }

  isBanned(peerId: string): boolean {
    const peer = this.#peers.get(peerId);
    return peer !== undefined && peer.bannedUntilMs > this.#clock.monotonic();
  }

  /**
   * Counts a breach of the rules once, whoever tells of it; the third bans the peer. What was still under way then
   * counts no more. What can't be kept, as on a full disk, holds in this process.
   */
  async strike(peerId: string, breach: Error): Promise<void> {
    if (this.isBanned(peerId) || this.#counted.has(breach)) return;
    this.#counted.add(breach);
    const strikes = (this.#peers.get(peerId)?.strikes ?? 0) + 1;
    const isOver = strikes >= STRIKES_TO_BAN;
    const nowMs = this.#clock.monotonic();
    const record: BanRecord = {
      strikes: isOver ? 0 : strikes,
      untilMs: isOver ? this.#clock.now() + BAN_MS : 0,
    };
    this.#peers.delete(peerId);
    this.#peers.set(peerId, { strikes: record.strikes, bannedUntilMs: isOver ? nowMs + BAN_MS : nowMs });
    if (isOver) this.#swarm.ban(peerId, BAN_MS);
    const changes: RecordChange[] = [{ type: "put", collection: "bans", key: peerId, value: record }];
    const forgotten = forgetOldest(this.#peers, MAX_STRIKING_PEERS);
    if (forgotten !== undefined) changes.push({ type: "delete", collection: "bans", key: forgotten });
    try {
      await this.#records.batch(changes);
    } catch (error) {
      this.#log.warn("a strike was not kept", { peerId, error });
    }
    // Last: whoever reads it may rely on it after a restart, too.
    this.#log.warn(isOver ? "peer banned" : "peer struck", { peerId, strikes, reason: breach.message });
  }
}
