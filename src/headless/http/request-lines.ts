/**
 * The requests of one connection, answered one after another however many are sent ahead. Used by the HTTP server:
 * Node.js hands over all that one read holds at once, and hundreds of answers made together would fill memory.
 */
import type { Socket } from "node:net";
import { MAX_REQUESTS_AHEAD } from "../limits.ts";

interface Line {
  waiting: number;
  last: Promise<void>;
}

export class RequestLines {
  readonly #lines = new WeakMap<Socket, Line>();

  /** Runs once the connection's earlier answers are out. Who sends too many ahead loses the connection. */
  answer(socket: Socket, answer: () => Promise<void>): void {
    const line = this.#lines.get(socket) ?? { waiting: 0, last: Promise.resolve() };
    this.#lines.set(socket, line);
    line.waiting += 1;
    if (line.waiting > MAX_REQUESTS_AHEAD) {
      socket.destroy();
      return;
    }
    line.last = line.last.then(async () => {
      if (!socket.destroyed) await answer();
      line.waiting -= 1;
    });
  }
}
