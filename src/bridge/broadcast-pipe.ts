/**
 * A port between two tabs made of a channel of the origin, for engines and windows without a service worker to hand a
 * MessagePort over. Used by leader-link and leader-doors. Frames are copied, and nothing tells that the other end is
 * gone but its silence.
 */
import { type OriginChannel, openOriginChannel } from "./origin-channel.ts";
import type { FramePort } from "./port-end.ts";

export class BroadcastPipe implements FramePort {
  readonly #channel: OriginChannel;
  /** Frames kept until the other end is heard, which then listens; undefined from then on. */
  #waiting: unknown[] | undefined;

  /** `name` is known to the two ends alone. The end that opened it first waits for the other. */
  constructor(name: string, role: "opens" | "joins") {
    this.#channel = openOriginChannel(name);
    this.#waiting = role === "opens" ? [] : undefined;
    if (role === "opens") this.#channel.addEventListener("message", () => this.#flush());
  }

  postMessage(frame: unknown): void {
    if (this.#waiting === undefined) this.#channel.postMessage(frame);
    else this.#waiting.push(frame);
  }

  addEventListener(type: string, listener: (event: Event) => void): void {
    this.#channel.addEventListener(type, listener);
  }

  close(): void {
    this.#channel.close();
  }

  #flush(): void {
    const frames = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const frame of frames) this.#channel.postMessage(frame);
  }
}
