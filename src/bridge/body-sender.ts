/**
 * The sending half of one body: reads a stream and posts it as chunk frames, never more than the receiver granted.
 * Used by asking for request bodies and by answering for response bodies.
 */
import { errorAsData } from "./bridge-error.ts";
import { type BodyFrame, broken, cutText } from "./frames.ts";
import { MAX_CHUNK_BYTES, WINDOW_BYTES } from "./limits.ts";

export class BodySender {
  readonly #id: number;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #post: (frame: BodyFrame, transfer: Transferable[]) => void;
  #creditBytes = WINDOW_BYTES;
  #stopped = false;
  #wake: (() => void) | undefined;

  constructor(
    id: number,
    body: ReadableStream<Uint8Array>,
    post: (frame: BodyFrame, transfer: Transferable[]) => void,
  ) {
    this.#id = id;
    this.#reader = body.getReader();
    this.#post = post;
  }

  /** Settles when the body was sent, broke off, or was stopped. Never rejects: a broken body is told to its receiver. */
  async send(): Promise<void> {
    const id = this.#id;
    try {
      for (;;) {
        const { done, value } = await this.#reader.read();
        if (done) break;
        if (!(value instanceof Uint8Array)) throw new TypeError("A body gave something other than bytes");
        await this.#sendAll(value);
      }
      if (!this.#stopped) this.#post({ type: "end", id }, []);
    } catch (error) {
      if (this.#stopped) return;
      const { name, message } = errorAsData(error);
      this.#post({ type: "broken", id, name: cutText(name), message: cutText(message) }, []);
    }
  }

  /** @throws BridgeError `protocol_error` when more is granted than a window */
  grant(bytes: number): void {
    if (this.#creditBytes + bytes > WINDOW_BYTES) throw broken("more credit than a window");
    this.#creditBytes += bytes;
    this.#wake?.();
  }

  /** Reads and sends no more; whoever makes the body is told why. */
  stop(reason: unknown): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#wake?.();
    // What fails while a body nobody wants is put away concerns nobody.
    this.#reader.cancel(reason).catch(() => undefined);
  }

  async #sendAll(bytes: Uint8Array): Promise<void> {
    let sent = 0;
    while (sent < bytes.length) {
      while (this.#creditBytes === 0 && !this.#stopped) await this.#nextGrant();
      if (this.#stopped) return;
      const end = Math.min(bytes.length, sent + MAX_CHUNK_BYTES, sent + this.#creditBytes);
      // A copy: the buffer may be the body's maker's, who goes on using it.
      const chunk = new Uint8Array(bytes.subarray(sent, end));
      this.#creditBytes -= chunk.length;
      sent = end;
      this.#post({ type: "chunk", id: this.#id, bytes: chunk }, [chunk.buffer]);
    }
  }

  #nextGrant(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
