/**
 * One block that was asked for, from the call until its answer is whole or the peer said that nothing more comes: puts the
 * answer together in one buffer of the length that it tells, and holds it to that. Kept by asking.
 */
import { SharingError } from "../../sharing/errors.ts";
import type { BlockRequest, Priority } from "../../sharing/ports.ts";
import { MAX_BLOCK_BYTES } from "../limits.ts";

const NO_BYTES = new Uint8Array(0);

export class AskedBlock {
  readonly request: BlockRequest;
  readonly maxBytes: number;
  priority: Priority;
  /** The answer comes on the side stream; told anew each time that it is asked for. */
  isAside = false;
  /** The caller left; what still comes is thrown away. */
  isCancelled = false;
  receivedBytes = 0;
  readonly answer: Promise<Uint8Array>;
  /** Undefined until the answer begins. */
  #sizeBytes: number | undefined;
  #bytes: Uint8Array = NO_BYTES;
  #resolve!: (block: Uint8Array) => void;
  #reject!: (reason: unknown) => void;

  /** `onAbort`: the caller leaves. */
  constructor(request: BlockRequest, onAbort: () => void) {
    const { signal } = request;
    this.request = request;
    this.priority = request.priority;
    this.maxBytes = Math.min(request.maxBytes, MAX_BLOCK_BYTES);
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    const leave = () => {
      this.isCancelled = true;
      this.#bytes = NO_BYTES;
      this.reject(signal.reason);
      onAbort();
    };
    signal.addEventListener("abort", leave);
    const settled = () => signal.removeEventListener("abort", leave);
    this.answer.then(settled, settled);
  }

  get hasBegun(): boolean {
    return this.#sizeBytes !== undefined;
  }

  get isWhole(): boolean {
    return this.receivedBytes === this.#sizeBytes;
  }

  /** The answer begins. @throws SharingError `protocol_error` */
  begin(sizeBytes: number): void {
    if (this.hasBegun) throw new SharingError("protocol_error", "answered twice");
    if (sizeBytes > this.maxBytes) throw new SharingError("protocol_error", "longer than was asked for");
    this.#sizeBytes = sizeBytes;
    if (!this.isCancelled)
      this.#bytes = this.request.into?.().subarray(0, sizeBytes) ?? new Uint8Array(sizeBytes);
  }

  /** The next bytes of the answer. @throws SharingError `protocol_error` */
  take(bytes: Uint8Array): void {
    const start = this.receivedBytes;
    if (this.#sizeBytes === undefined || start + bytes.length > this.#sizeBytes) {
      throw new SharingError("protocol_error", "more bytes than the answer told");
    }
    this.receivedBytes += bytes.length;
    if (this.isCancelled) return;
    this.#bytes.set(bytes, start);
    this.request.onBytes?.(bytes);
  }

  /** What came of the answer is lost: it will be asked for again. */
  startAgain(): void {
    this.receivedBytes = 0;
    this.#sizeBytes = undefined;
  }

  /** Gives the caller its block. */
  resolve(): void {
    this.#resolve(this.#bytes);
  }

  reject(reason: unknown): void {
    this.#reject(reason);
  }
}
