/**
 * The receiving half of one body: chunk frames come in, a ReadableStream comes out, and credit goes back as it is read.
 * Used by asking for response bodies and by answering for request bodies.
 */
import { bridgeErrorFrom } from "./bridge-error.ts";
import { type BodyFrame, broken } from "./frames.ts";
import { WINDOW_BYTES } from "./limits.ts";

interface ReceiverEvents {
  /** `bytes` were read, so as many more may come. */
  grant(bytes: number): void;
  /** The reader wants no more. */
  cancelled(reason: unknown): void;
}

export class BodyReceiver {
  readonly stream: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly #events: ReceiverEvents;
  #controller!: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
  /** Bytes that may still come without a further grant. */
  #openBytes = WINDOW_BYTES;
  #over = false;

  constructor(events: ReceiverEvents) {
    this.#events = events;
    this.stream = new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => this.#grantWhatWasRead(),
        cancel: (reason) => {
          this.#over = true;
          events.cancelled(reason);
        },
      },
      { highWaterMark: WINDOW_BYTES, size: (bytes) => bytes?.length ?? 0 },
    );
  }

  /** True once the body ended, broke or was cancelled. */
  get isOver(): boolean {
    return this.#over;
  }

  /** @throws BridgeError `protocol_error` when more comes than was granted */
  receive(frame: BodyFrame & { type: "chunk" | "end" | "broken" }): void {
    if (this.#over) return;
    if (frame.type === "end") {
      this.#over = true;
      this.#controller.close();
    } else if (frame.type === "broken") {
      this.fail(bridgeErrorFrom(frame.name, frame.message));
    } else {
      if (frame.bytes.length > this.#openBytes) throw broken("more bytes than were granted");
      this.#openBytes -= frame.bytes.length;
      this.#controller.enqueue(frame.bytes);
    }
  }

  fail(reason: unknown): void {
    if (this.#over) return;
    this.#over = true;
    this.#controller.error(reason);
  }

  /** In lumps of a quarter of the window, so that credit costs few frames. */
  #grantWhatWasRead(): void {
    if (this.#over) return;
    const room = (this.#controller.desiredSize ?? 0) - this.#openBytes;
    if (room < WINDOW_BYTES / 4) return;
    this.#openBytes += room;
    this.#events.grant(room);
  }
}
