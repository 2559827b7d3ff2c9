/**
 * The serving end of a side stream, from its ticket to its end: gives a piece each time that its reader asks for one,
 * and none before. Made by offered-sides for each ticket. Whoever reads it (an HTTP response, a socket) may go away at
 * any time; then nothing is taken any more, until the asker says what is to become of its requests.
 */
import type { Uint8ArrayList } from "uint8arraylist";
import { BULK_SEND_BYTES } from "../limits.ts";
import type { Watchdog } from "../watchdog.ts";
import { encodeMessage } from "../wire/messages.ts";
import { Outlet, type Sink } from "./outlet.ts";
import type { SendMemory } from "./send-memory.ts";

export interface ServedSideParts {
  watchdog: Watchdog;
  memory: SendMemory;
  onWritable(): void;
  onClosed(): void;
}

export class ServedSide implements Sink {
  readonly outlet: Outlet;
  readonly ticket: Uint8Array;
  readonly #parts: ServedSideParts;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  /** Somebody came with the ticket. */
  wasOpened = false;
  isWritable = false;

  constructor(ticket: Uint8Array, parts: ServedSideParts) {
    this.ticket = ticket;
    this.#parts = parts;
    this.outlet = new Outlet(() => this, BULK_SEND_BYTES, parts.watchdog, parts.memory);
  }

  send(bytes: Uint8Array | Uint8ArrayList): void {
    this.isWritable = false;
    this.#controller?.enqueue(bytes.subarray());
  }

  /** Nothing more comes. */
  close(): void {
    this.#parts.onClosed();
    this.#controller?.close();
    this.#leave();
  }

  /** To be called once. */
  open(): ReadableStream<Uint8Array> {
    this.wasOpened = true;
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
          controller.enqueue(encodeMessage({ type: "side_open" }));
        },
        pull: () => {
          this.isWritable = true;
          this.#parts.onWritable();
        },
        cancel: () => this.#leave(),
      },
      { highWaterMark: 0 },
    );
  }

  #leave(): void {
    this.#controller = undefined;
    this.isWritable = false;
  }
}
