/**
 * The side streams that a node offers: one for each ticket, which is used once, and soon void. Made by a main that has a way
 * for peers to come with tickets; the exchange offers, that way redeems. Each conversation has one at most, so there are no
 * more of them.
 */
import type { Clock } from "../../sharing/ports.ts";
import { TICKET_BYTES, TICKET_MS } from "../limits.ts";
import { ticketText } from "../side-path.ts";
import type { Watchdog } from "../watchdog.ts";
import { SendMemory } from "./send-memory.ts";
import { ServedSide } from "./served-side.ts";

export class OfferedSides {
  /** Of what is sent on them; whoever reads one may give it back piece by piece. */
  readonly memory = new SendMemory();
  readonly #clock: Clock;
  readonly #offers = new Map<string, { side: ServedSide; expiresAtMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A side stream for a new ticket, until it is closed. `onWritable`: it takes bytes. */
  offer(watchdog: Watchdog, onWritable: () => void): ServedSide {
    const ticket = crypto.getRandomValues(new Uint8Array(TICKET_BYTES));
    const text = ticketText(ticket);
    const onClosed = () => this.#offers.delete(text);
    const side = new ServedSide(ticket, { watchdog, memory: this.memory, onWritable, onClosed });
    this.#offers.set(text, { side, expiresAtMs: this.#clock.monotonic() + TICKET_MS });
    return side;
  }

  /**
   * The bytes of the side stream that the ticket stands for; undefined for one that was not given out, was used or is
   * too old.
   */
  redeem(ticket: string): ReadableStream<Uint8Array> | undefined {
    const offer = this.#offers.get(ticket);
    this.#offers.delete(ticket);
    return offer === undefined || offer.expiresAtMs <= this.#clock.monotonic()
      ? undefined
      : offer.side.open();
  }
}
