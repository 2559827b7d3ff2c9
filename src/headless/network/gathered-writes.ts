/**
 * What is sent over a socket while the event loop polls, handed to the system together: each message of libp2p costs about
 * nine writes (lengths, headers and pieces one by one). Used by gathering-tcp and tls-connection.
 */
import type { Socket } from "node:net";
import type { SendResult } from "@libp2p/utils";
import type { Uint8ArrayList } from "uint8arraylist";
import { MAX_QUEUED_BYTES } from "../limits.ts";

export class GatheredWrites {
  readonly #socket: Socket;
  #isGathering = false;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** As `sendData` of a libp2p stream: takes everything, and tells whether the socket takes more. */
  send(data: Uint8ArrayList): SendResult {
    if (!this.#isGathering) {
      this.#isGathering = true;
      this.#socket.cork();
      setImmediate(() => this.#release());
    }
    for (const piece of data) this.#socket.write(piece);
    return { sentBytes: data.byteLength, canSendMore: this.#socket.writableLength < MAX_QUEUED_BYTES };
  }

  #release(): void {
    this.#isGathering = false;
    this.#socket.uncork();
  }
}
