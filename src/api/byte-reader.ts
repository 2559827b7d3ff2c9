/**
 * Bytes of a stream up to a delimiter, or a line at a time, holding no more than one piece of the stream.
 * Called by multipart.
 */
import { SharingError } from "../sharing/errors.ts";

const CRLF = new Uint8Array([0x0d, 0x0a]);

export class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>;
  #held: Uint8Array;

  /** `before` is read ahead of the source. */
  constructor(source: AsyncIterable<Uint8Array>, before: Uint8Array) {
    this.#source = source[Symbol.asyncIterator]();
    this.#held = before;
  }

  /** The bytes before the next delimiter, which is taken too. @throws SharingError `bad_request` if none comes */
  async *until(delimiter: Uint8Array): AsyncGenerator<Uint8Array> {
    for (;;) {
      const at = indexOf(this.#held, delimiter);
      const sure = at === -1 ? this.#held.length - delimiter.length + 1 : at;
      const out = this.#held.subarray(0, Math.max(0, sure));
      this.#held = this.#held.subarray(at === -1 ? out.length : at + delimiter.length);
      if (out.length > 0) yield out;
      if (at !== -1) return;
      await this.#readMore();
    }
  }

  /** The next line without its CRLF. @throws SharingError `bad_request` if it is longer than `maxBytes` */
  async line(maxBytes: number): Promise<string> {
    return new TextDecoder().decode(await this.collect(CRLF, maxBytes));
  }

  /** The bytes before the next delimiter in one array. @throws SharingError `bad_request` */
  async collect(delimiter: Uint8Array, maxBytes: number): Promise<Uint8Array> {
    let whole: Uint8Array = new Uint8Array(0);
    for await (const bytes of this.until(delimiter)) {
      whole = joined(whole, bytes);
      if (whole.length > maxBytes) throw new SharingError("bad_request", "A part of the form is too long");
    }
    return whole;
  }

  /** The first `count` bytes of what is left, which stay. @throws SharingError `bad_request` if there are fewer */
  async peek(count: number): Promise<Uint8Array> {
    while (this.#held.length < count) await this.#readMore();
    return this.#held.subarray(0, count);
  }

  /** Lets the source clean up. */
  async close(): Promise<void> {
    await this.#source.return?.();
  }

  async #readMore(): Promise<void> {
    const next = await this.#source.next();
    if (next.done) throw new SharingError("bad_request", "The form ends too early");
    this.#held = this.#held.length === 0 ? next.value : joined(this.#held, next.value);
  }
}

function joined(head: Uint8Array, tail: Uint8Array): Uint8Array {
  const whole = new Uint8Array(head.length + tail.length);
  whole.set(head, 0);
  whole.set(tail, head.length);
  return whole;
}

function indexOf(bytes: Uint8Array, wanted: Uint8Array): number {
  const first = wanted[0] ?? 0;
  const last = bytes.length - wanted.length;
  for (let at = bytes.indexOf(first); at !== -1 && at <= last; at = bytes.indexOf(first, at + 1)) {
    if (wanted.every((byte, offset) => bytes[at + offset] === byte)) return at;
  }
  return -1;
}
