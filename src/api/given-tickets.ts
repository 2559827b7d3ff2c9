/**
 * The tickets that were given and hold: each stands for the bytes of one file, for 12 h, whatever the clock of the machine is
 * set to meanwhile. Made by tickets; in memory only.
 */
import { base64url } from "multiformats/bases/base64";
import type { Clock } from "../sharing/ports.ts";
import { MAX_TICKETS, TICKET_BYTES, TICKET_LIFETIME_MS } from "./limits.ts";

interface GivenFor {
  fileId: string;
  /** Of whoever took the ticket. */
  key: string;
}

export class GivenTickets {
  readonly #clock: Pick<Clock, "now" | "monotonic">;
  /** In the order of their making, which is that of their end, with its monotonic time. */
  readonly #tickets = new Map<string, GivenFor & { endMs: number }>();

  constructor(clock: Pick<Clock, "now" | "monotonic">) {
    this.#clock = clock;
  }

  /** A new one, for which the oldest gives way where there are too many. */
  give(givenFor: GivenFor): { ticket: string; expiresMs: number } {
    const nowMs = this.#clock.monotonic();
    for (const [ticket, { endMs }] of this.#tickets) {
      if (endMs > nowMs && this.#tickets.size < MAX_TICKETS) break;
      this.#tickets.delete(ticket);
    }
    const ticket = base64url.baseEncode(crypto.getRandomValues(new Uint8Array(TICKET_BYTES)));
    this.#tickets.set(ticket, { ...givenFor, endMs: nowMs + TICKET_LIFETIME_MS });
    return { ticket, expiresMs: this.#clock.now() + TICKET_LIFETIME_MS };
  }

  /** What it stands for; undefined for one that has ended. */
  find(ticket: string): GivenFor | undefined {
    const found = this.#tickets.get(ticket);
    return found !== undefined && found.endMs > this.#clock.monotonic() ? found : undefined;
  }
}
