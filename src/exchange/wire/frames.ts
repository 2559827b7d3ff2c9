/**
 * Cuts a byte stream into frames. A length is checked before memory is taken for what it claims; the payload of
 * DATA is handed on as it comes, never collected. Fed by wire, calls messages. Format: messages.ts.
 */
import { SharingError } from "../../sharing/errors.ts";
import { MAX_CONTROL_BYTES, MAX_FRAME_BYTES } from "../limits.ts";
import { DATA_TYPE, decodeMessage, FIRST_OPTIONAL_TYPE, isKnownType, type Message } from "./messages.ts";
import { VarintReader } from "./varint.ts";

export interface FrameHandler {
  onMessage(message: Message): void;
  /** A stretch of a DATA payload, in order; valid during the call only. */
  onData(requestId: number, bytes: Uint8Array): void;
}

export class FrameReader {
  readonly #handler: FrameHandler;
  readonly #varint = new VarintReader();
  #state: "length" | "type" | "request" | "payload" | "body" | "skipped" = "length";
  #restBytes = 0;
  #type = 0;
  #requestId = 0;
  #body = new Uint8Array(0);

  constructor(handler: FrameHandler) {
    this.#handler = handler;
  }

  /** @throws SharingError `protocol_error`, and what the handler throws */
  push(chunk: Uint8Array): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#state === "payload" || this.#state === "body" || this.#state === "skipped") {
        const end = Math.min(chunk.length, at + this.#restBytes);
        this.#takeBytes(chunk.subarray(at, end));
        at = end;
      } else {
        this.#takeHead(chunk[at] as number);
        at += 1;
      }
    }
  }

  #takeHead(byte: number): void {
    switch (this.#state) {
      case "length":
        if (!this.#varint.take(byte)) return;
        this.#restBytes = this.#varint.value;
        this.#varint.reset();
        if (this.#restBytes === 0 || this.#restBytes > MAX_FRAME_BYTES) {
          throw new SharingError("protocol_error", `frame of ${this.#restBytes} bytes`);
        }
        this.#state = "type";
        return;
      case "type":
        this.#restBytes -= 1;
        this.#type = byte;
        this.#openBody();
        return;
      default:
        this.#restBytes -= 1;
        if (this.#restBytes === 0) throw new SharingError("protocol_error", "DATA without bytes");
        if (!this.#varint.take(byte)) return;
        this.#requestId = this.#varint.value;
        this.#varint.reset();
        this.#state = "payload";
    }
  }

  #openBody(): void {
    if (this.#type === DATA_TYPE) {
      this.#state = "request";
      if (this.#restBytes === 0) throw new SharingError("protocol_error", "DATA without bytes");
    } else if (!isKnownType(this.#type)) {
      if (this.#type < FIRST_OPTIONAL_TYPE) {
        throw new SharingError("protocol_error", `unknown message type ${this.#type}`);
      }
      this.#state = "skipped";
    } else if (this.#restBytes > MAX_CONTROL_BYTES) {
      throw new SharingError("protocol_error", `message of ${this.#restBytes} bytes`);
    } else {
      this.#body = new Uint8Array(this.#restBytes);
      this.#state = "body";
      if (this.#restBytes === 0) this.#takeBytes(this.#body);
    }
  }

  #takeBytes(bytes: Uint8Array): void {
    const state = this.#state;
    if (state === "body") this.#body.set(bytes, this.#body.length - this.#restBytes);
    this.#restBytes -= bytes.length;
    if (this.#restBytes === 0) this.#state = "length";
    if (state === "payload") this.#handler.onData(this.#requestId, bytes);
    else if (state === "body" && this.#restBytes === 0) {
      this.#handler.onMessage(decodeMessage(this.#type, this.#body));
    }
  }
}
