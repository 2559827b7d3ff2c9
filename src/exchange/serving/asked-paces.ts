/**
 * How fast is read what peers ask, those of one host together: each could come under many ids, and begin one conversation after
 * another. Kept by exchange; serving has its host's.
 */
import { forgetOldest } from "../../sharing/forget-oldest.ts";
import type { Clock } from "../../sharing/ports.ts";
import { ASKED_BYTES_PER_SECOND, MAX_REMEMBERED_PEERS } from "../limits.ts";
import { Pacing } from "../rates/pacing.ts";

export class AskedPaces {
  readonly #clock: Clock;
  /** Whose peers came last is last. */
  readonly #byHost = new Map<string, Pacing>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  of(host: string): Pacing {
    const pacing = this.#byHost.get(host) ?? new Pacing(ASKED_BYTES_PER_SECOND, this.#clock, Infinity);
    this.#byHost.delete(host);
    this.#byHost.set(host, pacing);
    forgetOldest(this.#byHost, MAX_REMEMBERED_PEERS);
    return pacing;
  }

  stop(): void {
    for (const pacing of this.#byHost.values()) pacing.stop();
  }
}
