/**
 * Who keeps a connection where all places are taken: a host that has more of them gives one, its newest, to a host that
 * has fewer. Else one host alone, with a request now and then on each, would keep everybody else from the page. Used by
 * the HTTP server.
 */
import type { Socket } from "node:net";
import { subscriberOf } from "../../network/connecting/remote-address.ts";

export class Places {
  readonly #count: number;
  /** By host, the newest last. */
  readonly #taken = new Map<string, Set<Socket>>();
  #takenCount = 0;

  constructor(count: number) {
    this.#count = count;
  }

  /** Gives the connection that has no place, and is to be closed: this one, or another host's. */
  take(socket: Socket): Socket | undefined {
    const host = subscriberOf(socket.remoteAddress ?? "");
    const own = this.#taken.get(host) ?? new Set();
    this.#taken.set(host, own.add(socket));
    this.#takenCount += 1;
    socket.once("close", () => this.#leave(host, socket));
    if (this.#takenCount <= this.#count) return undefined;
    let [mostHost, most] = [host, own];
    for (const [other, sockets] of this.#taken)
      if (sockets.size > most.size) [mostHost, most] = [other, sockets];
    const given = [...most].at(-1) ?? socket;
    this.#leave(mostHost, given);
    return given;
  }

  #leave(host: string, socket: Socket): void {
    const sockets = this.#taken.get(host);
    if (!sockets?.delete(socket)) return;
    this.#takenCount -= 1;
    if (sockets.size === 0) this.#taken.delete(host);
  }
}
