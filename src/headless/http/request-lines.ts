/**
 * The requests of one connection, answered one after another however many are sent ahead. Used by the HTTP server:
 * Node.js hands over all that one read holds at once, and hundreds of answers made together would fill memory.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { MAX_REQUESTS_AHEAD } from "../limits.ts";

interface Line {
  waiting: number;
  last: Promise<void>;
  /** The last request, which may still wait for its turn. */
  newest?: IncomingMessage;
  /** The answer whose turn came last. */
  answer?: ServerResponse;
}

export class RequestLines {
  readonly #lines = new WeakMap<Socket, Line>();

  /** `answer` is called once the connection's earlier answers are out. Who sends too many ahead loses the connection. */
  take(incoming: IncomingMessage, outgoing: ServerResponse, answer: () => Promise<void>): void {
    const line = this.#lineOf(incoming.socket);
    line.newest = incoming;
    this.#await(incoming.socket, async () => {
      line.answer = outgoing;
      await answer();
    });
  }

  /** What came behind the last request is none: `refuse` tells the client, where that would not be taken for something else. */
  end(socket: Socket, refuse: () => void): void {
    const { newest, answer } = this.#lineOf(socket);
    const isWithinAnswer = answer?.headersSent === true && !answer.writableFinished;
    // It would be read as a part of that.
    if (isWithinAnswer) socket.destroy();
    // It would be read as the answer to what came whole before, which is carried out.
    else if (newest?.complete === true) this.#await(socket, () => this.#behindAnswers(socket, refuse));
    else refuse();
  }

  /**
   * The last request asks for another protocol: `take` is called once the answers before are out. Node.js has let go of the
   * socket by then, and would no longer tell these that there is room.
   */
  leave(socket: Socket, take: () => void): void {
    const tellOfRoom = () => void this.#lineOf(socket).answer?.emit("drain");
    socket.on("drain", tellOfRoom);
    this.#await(socket, () =>
      this.#behindAnswers(socket, () => {
        socket.off("drain", tellOfRoom);
        take();
      }),
    );
  }

  /** An answer that is made may still wait for the one before it to reach the client, outside of the socket. */
  async #behindAnswers(socket: Socket, turn: () => void): Promise<void> {
    const { answer } = this.#lineOf(socket);
    if (answer?.writableFinished === false) await new Promise((resolve) => answer.once("close", resolve));
    if (socket.writable) turn();
  }

  #await(socket: Socket, turn: () => Promise<void>): void {
    const line = this.#lineOf(socket);
    line.waiting += 1;
    if (line.waiting > MAX_REQUESTS_AHEAD) {
      socket.destroy();
      return;
    }
    line.last = line.last.then(async () => {
      if (!socket.destroyed) await turn();
      line.waiting -= 1;
    });
  }

  #lineOf(socket: Socket): Line {
    const line = this.#lines.get(socket) ?? { waiting: 0, last: Promise.resolve() };
    this.#lines.set(socket, line);
    return line;
  }
}
