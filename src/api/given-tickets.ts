/** The tickets that were given and hold: each stands for the bytes of one file, for 12 h. Made by tickets; in memory only. */
import { base64url } from "multiformats/bases/base64";
import type { Clock } from "../sharing/ports.ts";
import { MAX_TICKETS, TICKET_BYTES, TICKET_LIFETIME_MS } from "./limits.ts";

export class GivenTickets {
  readonly #clock: Pick<Clock, "now">;
  /** In the order of their making, which is that of their end. */
  readonly #tickets = new Map<string, { fileId: string; expiresMs: number }>();

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  /** A new one, for which the oldest gives way where there are too many. */
  give(fileId: string): { ticket: string; expiresMs: number } {
    const now = this.#clock.now();
    for (const [ticket, { expiresMs }] of this.#tickets) {
      if (expiresMs > now && this.#tickets.size < MAX_TICKETS) break;
      this.#tickets.delete(ticket);
    }
    const ticket = base64url.baseEncode(crypto.getRandomValues(new Uint8Array(TICKET_BYTES)));
    const expiresMs = now + TICKET_LIFETIME_MS;
    this.#tickets.set(ticket, { fileId, expiresMs });
    return { ticket, expiresMs };
  }

  /** The file that it stands for; undefined for one that does not hold. */
  fileOf(ticket: string): string | undefined {
    const found = this.#tickets.get(ticket);
    return found !== undefined && found.expiresMs > this.#clock.now() ? found.fileId : undefined;
  }
}
