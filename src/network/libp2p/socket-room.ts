/**
 * When a full WebSocket takes bytes again: once half of what it may hold is gone. No event tells of that, but the peer's own
 * messages come as it reads; a timer, which a page in the background has once a second, looks where it sends none. Stands in
 * the place of the library's own task, which has the timer alone and waits until nothing is left. Made by sound-web-sockets.
 */
import { WEB_SOCKET_LOOK_MS } from "./limits.ts";

interface Socket {
  bufferedAmount: number;
  addEventListener(type: "message", heard: () => void): void;
}

export class SocketRoom {
  readonly #socket: Socket;
  readonly #maxBytes: number;
  readonly #onRoom: () => void;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(socket: Socket, maxBytes: number, onRoom: () => void) {
    this.#socket = socket;
    this.#maxBytes = maxBytes;
    this.#onRoom = onRoom;
    socket.addEventListener("message", () => this.#look());
  }

  /** The socket is full. */
  start(): void {
    this.#timer ??= setInterval(() => this.#look(), WEB_SOCKET_LOOK_MS);
  }

  /** The socket has closed. */
  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #look(): void {
    if (this.#timer === undefined || this.#socket.bufferedAmount > this.#maxBytes / 2) return;
    this.stop();
    this.#onRoom();
  }
}
