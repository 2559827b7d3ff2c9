/** Payload that went to and came from each peer, and all of them together. Headers and discarded bytes don't count. */
import { forgetOldest } from "../../sharing/forget-oldest.ts";
import { Meter } from "../../sharing/meter.ts";
import type { Clock, TrafficTotals } from "../../sharing/ports.ts";
import { MAX_REMEMBERED_PEERS } from "../limits.ts";

/** The pair of meters of one peer; counting there counts for all. */
export interface PeerTraffic {
  uploaded(bytes: number): void;
  downloaded(bytes: number): void;
}

interface Meters {
  up: Meter;
  down: Meter;
}

function newMeters(clock: Clock): Meters {
  const now = () => clock.monotonic();
  return { up: new Meter(now), down: new Meter(now) };
}

export class Traffic {
  readonly #clock: Clock;
  readonly #all: Meters;
  readonly #peers = new Map<string, Meters>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#all = newMeters(clock);
  }

  /** Where one conversation counts. The peer becomes the one met last. */
  peer(peerId: string): PeerTraffic {
    const meters = this.#peers.get(peerId) ?? newMeters(this.#clock);
    this.#peers.delete(peerId);
    this.#peers.set(peerId, meters);
    forgetOldest(this.#peers, MAX_REMEMBERED_PEERS);
    return {
      uploaded: (bytes) => {
        meters.up.add(bytes);
        this.#all.up.add(bytes);
      },
      downloaded: (bytes) => {
        meters.down.add(bytes);
        this.#all.down.add(bytes);
      },
    };
  }

  totals(): TrafficTotals {
    return totalsOf(this.#all);
  }

  of(peerId: string): TrafficTotals {
    return totalsOf(this.#peers.get(peerId));
  }
}

function totalsOf(meters: Meters | undefined): TrafficTotals {
  return {
    uploadedBytes: meters?.up.totalBytes ?? 0,
    downloadedBytes: meters?.down.totalBytes ?? 0,
    uploadBytesPerSecond: meters?.up.bytesPerSecond() ?? 0,
    downloadBytesPerSecond: meters?.down.bytesPerSecond() ?? 0,
  };
}
