/**
 * A libp2p connection over a TLS socket, which sends and receives as much at once as there is. Made by native-tls once the
 * peer is known. Node.js gives what it decrypted by records of 16 KiB, and muxer and streams have a fixed cost for each
 * message: so all that one poll of the event loop brings is one message.
 */
import { once } from "node:events";
import type { TLSSocket } from "node:tls";
import type { AbortOptions, MessageStream } from "@libp2p/interface";
import { AbstractMessageStream, type SendResult } from "@libp2p/utils";
import { Uint8ArrayList } from "uint8arraylist";
import { GatheredWrites } from "./gathered-writes.ts";

/** Received bytes that wait for more; what a full socket buffer holds. */
const MAX_GATHERED_BYTES = 512 * 1024;

export class TlsConnection extends AbstractMessageStream {
  readonly #transport: MessageStream;
  readonly #socket: TLSSocket;
  readonly #writes: GatheredWrites;
  #received = new Uint8ArrayList();
  #isGathering = false;
  /** The transport's end, once the socket's began it. */
  #closing: Promise<void> | undefined;

  /** `transport` is the connection that the socket was taken from: it ends with this one, and this one with it. */
  constructor(transport: MessageStream, socket: TLSSocket) {
    super({
      log: transport.log,
      inactivityTimeout: transport.inactivityTimeout,
      maxReadBufferLength: transport.maxReadBufferLength,
      direction: transport.direction,
    });
    this.#transport = transport;
    this.#socket = socket;
    this.#writes = new GatheredWrites(socket);
    if (socket.closed) this.#closing = Promise.resolve();
    this.#readWithoutBuffer();
    socket.on("data", (piece) => this.#gather(piece));
    socket.on("close", () => {
      this.#deliver();
      this.#closing = transport.close().catch((error: Error) => transport.abort(error));
    });
    socket.on("drain", () => this.safeDispatchEvent("drain"));
    transport.addEventListener("close", ({ error, local }) => {
      this.#deliver();
      socket.destroy();
      if (error === undefined) this.onTransportClosed();
      else if (local) this.abort(error);
      else this.onRemoteReset();
    });
  }

  override sendData(data: Uint8ArrayList): SendResult {
    return this.#writes.send(data);
  }

  override sendReset(error: Error): void {
    this.#socket.destroy();
    this.#transport.abort(error);
  }

  override sendPause(): void {
    this.#socket.pause();
  }

  override sendResume(): void {
    this.#socket.resume();
  }

  override async close(options?: AbortOptions): Promise<void> {
    if (this.#closing === undefined) {
      this.#socket.destroySoon();
      await once(this.#socket, "close", { signal: options?.signal });
    }
    await this.#closing;
  }

  /** While nobody paused it, the socket's own queue, with its events, is only in the way. */
  #readWithoutBuffer(): void {
    const socket = this.#socket;
    const push = socket.push.bind(socket);
    socket.push = (piece: Uint8Array | null) => {
      if (piece === null || socket.isPaused() || socket.readableLength > 0) return push(piece);
      this.#gather(piece);
      return true;
    };
  }

  #gather(piece: Uint8Array): void {
    this.#received.append(piece);
    if (this.#received.byteLength >= MAX_GATHERED_BYTES) this.#deliver();
    else if (!this.#isGathering) {
      this.#isGathering = true;
      setImmediate(() => {
        this.#isGathering = false;
        this.#deliver();
      });
    }
  }

  #deliver(): void {
    const received = this.#received;
    this.#received = new Uint8ArrayList();
    this.onData(received);
  }
}
