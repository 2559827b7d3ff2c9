/** HTTP by hand: bytes on a socket, for all that fetch would never send, and answers as they came. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";

export interface RawAnswer {
  status: number;
  /** Status line and header lines. */
  head: string;
  body: string;
}

/** A connection to a node's API that is destroyed after the test. */
export class RawClient {
  readonly socket: Socket;
  /** Settles when the connection is gone, for whatever reason. */
  readonly closed: Promise<void>;
  #received = Buffer.alloc(0);
  #wake: () => void = () => {};

  constructor(socket: Socket) {
    this.socket = socket;
    this.closed = new Promise((resolve) => socket.once("close", () => resolve()));
    socket.on("error", () => undefined);
    socket.on("close", () => this.#wake());
    socket.on("data", (piece) => {
      this.#received = Buffer.concat([this.#received, piece]);
      this.#wake();
    });
  }

  static async open(url: string): Promise<RawClient> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname.replace(/^\[(.*)\]$/, "$1"));
    const client = new RawClient(socket);
    await once(socket, "connect");
    return client;
  }

  send(bytes: string | Uint8Array): void {
    this.socket.write(bytes);
  }

  /** The next answer, whose length its headers tell. @throws when the connection ends before it is whole */
  async answer(): Promise<RawAnswer> {
    for (;;) {
      const headEnd = this.#received.indexOf("\r\n\r\n");
      if (headEnd !== -1) {
        const head = this.#received.subarray(0, headEnd).toString("latin1");
        const bodyEnd = headEnd + 4 + Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
        if (this.#received.length >= bodyEnd) {
          const body = this.#received.subarray(headEnd + 4, bodyEnd).toString();
          this.#received = this.#received.subarray(bodyEnd);
          return { status: Number(head.split(" ")[1]), head, body };
        }
      }
      if (this.socket.closed)
        throw new Error(`the connection ended after ${this.#received.toString("latin1")}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

/** A connection that is destroyed after the test that opened it. */
export async function openRaw(url: string): Promise<RawClient> {
  const client = await RawClient.open(url);
  onTestFinished(() => void client.socket.destroy());
  return client;
}

/** The answer to one request given as lines; an empty line and the body follow. */
export async function sendRaw(
  url: string,
  lines: string[],
  body: string | Uint8Array = "",
): Promise<RawAnswer> {
  const client = await openRaw(url);
  client.send(`${lines.join("\r\n")}\r\n\r\n`);
  client.send(body);
  return client.answer();
}
