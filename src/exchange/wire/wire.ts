/**
 * One libp2p stream as a two-way flow of frames with back-pressure. Used by asking and serving, calls frames.
 * Writing waits for the `drain` event, because `onDrain()` resolves once and then no more (libp2p 3.3), and looks at
 * the write buffer itself, because a muxer's drain wakes streams whose own window is still shut.
 */
import type { Stream, StreamMessageEvent } from "@libp2p/interface";
import { Uint8ArrayList } from "uint8arraylist";
import { SharingError } from "../../sharing/errors.ts";
import { CLOSE_TIMEOUT_MS } from "../limits.ts";
import { type FrameHandler, FrameReader } from "./frames.ts";

export interface WireHandler extends FrameHandler {
  /** The stream takes bytes again. */
  onWritable(): void;
  /** So many bytes of the stream are read. */
  onRead?(bytes: number): void;
  /** Called once: `peer_lost`, `protocol_error`, or what `fail` was given. */
  onClosed(error: SharingError): void;
}

export class Wire {
  readonly #stream: Stream;
  readonly #handler: WireHandler;
  readonly #reader: FrameReader;
  readonly #events = new AbortController();
  #queued: Uint8Array[] = [];
  /** Come, and not yet read. */
  #unread: Uint8Array[] = [];
  #isPaused = false;
  #isClosed = false;

  constructor(stream: Stream, handler: WireHandler) {
    this.#stream = stream;
    this.#handler = handler;
    // A handler that ends the conversation hears nothing of the frames behind, in the same stretch of bytes.
    this.#reader = new FrameReader({
      onMessage: (message) => {
        if (!this.#isClosed) handler.onMessage(message);
      },
      onData: (requestId, bytes) => {
        if (!this.#isClosed) handler.onData(requestId, bytes);
      },
    });
    const { signal } = this.#events;
    stream.addEventListener("message", (event) => this.#onMessage(event), { signal });
    // libp2p flushes its own buffer in a microtask of the same event, so look after that
    stream.addEventListener("drain", () => queueMicrotask(() => this.#onDrain()), { signal });
    stream.addEventListener("remoteCloseWrite", () => this.#onRemoteEnd(), { signal });
    stream.addEventListener("close", () => this.#onRemoteEnd(), { signal });
    queueMicrotask(() => {
      if (stream.status !== "open" || stream.remoteWriteStatus === "closed") this.#onRemoteEnd();
    });
  }

  get isWritable(): boolean {
    return !this.#isClosed && !this.#stream.writableNeedsDrain && this.#stream.writeBufferLength === 0;
  }

  /** Hands bytes to the stream now; to be called only while `isWritable`. */
  send(bytes: Uint8Array | Uint8ArrayList): void {
    if (this.#isClosed) return;
    try {
      this.#stream.send(bytes);
    } catch (cause) {
      this.fail(new SharingError("peer_lost", "the stream takes no more bytes", { cause }));
    }
  }

  /** Sends small frames together, in order, as soon as the stream takes them. Callers bound how many can wait. */
  queue(frame: Uint8Array): void {
    this.#queued.push(frame);
    if (this.#queued.length === 1) queueMicrotask(() => this.#flush());
  }

  /** Nothing more is read, and once the stream's window is full nothing more sent, until `resume`. */
  pause(): void {
    // The stream's end may have come before the wire was made, which hears of it in a moment.
    if (this.#isClosed || this.#stream.readStatus === "closed") return;
    this.#isPaused = true;
    this.#stream.pause();
  }

  resume(): void {
    if (this.#isClosed || !this.#isPaused) return;
    this.#isPaused = false;
    this.#readOn();
    if (this.#isPaused || this.#isClosed) return;
    // The stream hands over what it kept before it opens its window, and would open it upon a pause meanwhile, too.
    this.#isPaused = true;
    this.#resumeStream();
    this.#isPaused = false;
    this.#readOn();
  }

  /** Ends the conversation at once and tells the handler why. */
  fail(error: SharingError): void {
    if (this.#isClosed) return;
    this.#end();
    this.#stream.abort(error);
    this.#handler.onClosed(error);
  }

  /** Ends the conversation with what was handed over still sent. The handler is not called. */
  close(): void {
    if (this.#isClosed) return;
    const rest = this.isWritable ? this.#takeQueued() : undefined;
    this.#end();
    try {
      if (rest !== undefined) this.#stream.send(rest);
    } catch {
      // It takes no more, as after the peer's reset: what was to be sent is for nobody.
    }
    this.#stream
      .close({ signal: AbortSignal.timeout(CLOSE_TIMEOUT_MS) })
      .catch((error: Error) => this.#stream.abort(error));
  }

  /**
   * A connection that is closing takes no word that the peer may send more, and the library throws: whoever resumes one after the
   * other would get no further.
   */
  #resumeStream(): void {
    try {
      this.#stream.resume();
    } catch (cause) {
      this.fail(new SharingError("peer_lost", "the stream brings no more", { cause }));
    }
  }

  #end(): void {
    this.#isClosed = true;
    this.#queued = [];
    this.#unread = [];
    this.#events.abort();
  }

  #flush(): void {
    const frames = this.isWritable ? this.#takeQueued() : undefined;
    if (frames !== undefined) this.send(frames);
  }

  /** Undefined where nothing is queued. */
  #takeQueued(): Uint8Array | Uint8ArrayList | undefined {
    const frames = this.#queued;
    this.#queued = [];
    return frames.length > 1 ? new Uint8ArrayList(...frames) : frames[0];
  }

  #onDrain(): void {
    this.#flush();
    if (this.isWritable) this.#handler.onWritable();
  }

  #onMessage(event: StreamMessageEvent): void {
    const { data } = event;
    this.#unread.push(...(data instanceof Uint8Array ? [data] : data));
    this.#readOn();
  }

  #readOn(): void {
    try {
      while (!this.#isPaused) {
        const bytes = this.#unread.shift();
        if (bytes === undefined) return;
        this.#reader.push(bytes);
        if (!this.#isClosed) this.#handler.onRead?.(bytes.length);
      }
    } catch (error) {
      if (!(error instanceof SharingError)) throw error;
      this.fail(error);
    }
  }

  #onRemoteEnd(): void {
    if (this.#isClosed) return;
    this.close();
    this.#handler.onClosed(new SharingError("peer_lost", "the peer ended the conversation"));
  }
}
