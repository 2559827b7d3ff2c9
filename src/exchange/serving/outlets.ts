/**
 * The ways out to one peer: the stream, and the side stream that it was given a ticket for. Says which of them a request is
 * answered on. Made by serving. Protocol: README.md.
 */
import { SharingError } from "../../sharing/errors.ts";
import { MAX_UNUSED_TICKETS } from "../limits.ts";
import type { Watchdog } from "../watchdog.ts";
import type { OfferedSides } from "./offered-sides.ts";
import { Outlet, type Sink } from "./outlet.ts";
import type { ServedSide } from "./served-side.ts";

export interface OutletsParts {
  /** Bytes handed to the stream at once. */
  sendBytes: number;
  /** Undefined where there are no side streams: nobody could open one. */
  sides: OfferedSides | undefined;
  watchdog: Watchdog;
  /** The side stream takes bytes again. */
  onSideWritable(): void;
}

export class Outlets {
  readonly stream: Outlet;
  readonly #parts: OutletsParts;
  #side: ServedSide | undefined;
  #isSideInUse = false;
  /** Tickets since a side stream was begun. */
  #unusedCount = 0;

  /** `sink` of the stream is called after the constructor returned. */
  constructor(parts: OutletsParts, sink: () => Sink) {
    this.#parts = parts;
    this.stream = new Outlet(sink, parts.sendBytes, parts.watchdog);
  }

  /** Where requests are answered that come now. */
  get current(): Outlet {
    return this.#isSideInUse && this.#side !== undefined ? this.#side.outlet : this.stream;
  }

  get waitingCount(): number {
    return this.#all.reduce((sum, { waitingCount }) => sum + waitingCount, 0);
  }

  /** A new ticket, in place of an earlier one. @throws SharingError `protocol_error` */
  offerSide(): void {
    const { sides, watchdog, onSideWritable } = this.#parts;
    if (sides === undefined) return;
    if (this.#isSideInUse) throw new SharingError("protocol_error", "a side stream is in use already");
    this.#unusedCount += 1;
    if (this.#unusedCount > MAX_UNUSED_TICKETS) {
      throw new SharingError("protocol_error", "tickets are asked for that nobody uses");
    }
    this.#side?.close();
    const side: ServedSide = sides.offer(watchdog, () => {
      side.outlet.onWritable();
      onSideWritable();
    });
    this.#side = side;
    this.stream.notify({ type: "ticket", ticket: side.ticket });
  }

  /** @throws SharingError `protocol_error` */
  beginSide(): void {
    if (this.#isSideInUse || !this.#side?.wasOpened) {
      throw new SharingError("protocol_error", "no side stream to begin");
    }
    this.#isSideInUse = true;
    this.#unusedCount = 0;
  }

  /** Gives the outlet that has ended. @throws SharingError `protocol_error` */
  endSide(): Outlet {
    const side = this.#side;
    if (!this.#isSideInUse || side === undefined) {
      throw new SharingError("protocol_error", "no side stream to end");
    }
    this.close();
    return side.outlet;
  }

  /** Whether the peer has let bytes wait for too long. `hasData`: an answer waits for the outlet. */
  areStuck(awakeMs: number, hasData: (outlet: Outlet) => boolean): boolean {
    return this.#all.some((outlet) => outlet.isStuck(awakeMs, hasData(outlet)));
  }

  /** The peer has let a piece wait for long. */
  get letWait(): boolean {
    return this.#all.some(({ letsWait }) => letsWait);
  }

  /** Ends the side stream. */
  close(): void {
    this.#side?.close();
    this.#side = undefined;
    this.#isSideInUse = false;
  }

  get #all(): Outlet[] {
    return this.#side === undefined ? [this.stream] : [this.stream, this.#side.outlet];
  }
}
