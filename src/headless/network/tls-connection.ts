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
import { MAX_GATHERED_BYTES } from "../limits.ts";
import { GatheredWrites } from "./gathered-writes.ts";
import { giveOnread } from "./onread.ts";
import { ReceivedBytes } from "./received-bytes.ts";

export class TlsConnection extends AbstractMessageStream {
  readonly #transport: MessageStream;
  readonly #socket: TLSSocket;
  readonly #writes: GatheredWrites;
  readonly #received = new ReceivedBytes(MAX_GATHERED_BYTES);
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
    this.#read();
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

  /** What came before this connection was made is in the socket's own queue. */
  #read(): void {
    const socket = this.#socket;
    const received = this.#received;
    const early = socket.read() as Uint8Array | null;
    if (early !== null) this.push(early);
    const isGiven = giveOnread(socket, {
      buffer: () => received.place(),
      callback: (bytes) => {
        received.add(bytes);
        if (received.isFull) this.#deliver();
        else this.#deliverSoon();
        return true;
      },
    });
    if (isGiven) socket.resume();
    else socket.on("data", (piece) => this.onData(new Uint8ArrayList(piece)));
  }

  #deliverSoon(): void {
    if (this.#isGathering) return;
    this.#isGathering = true;
    setImmediate(() => {
      this.#isGathering = false;
      this.#deliver();
    });
  }

  #deliver(): void {
    if (this.#received.byteLength > 0) this.onData(new Uint8ArrayList(this.#received.take()));
  }
}
