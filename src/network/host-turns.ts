/**
 * Whose turn it is of those for whom this node does so much a second, all strangers together: one from each origin, then a
 * second from each. A rate for each peer bounds nobody who comes under many ids. One at a time, so that a hundred who ask at
 * once hold up nothing else. Used by stream-turns and capped-dht; of one origin, host-line says who is next.
 */
import { SharingError } from "../sharing/errors.ts";
import type { Clock } from "../sharing/ports.ts";
import { HostLine, type Waiting } from "./host-line.ts";
import { MessageRate } from "./message-rate.ts";

const EVERYBODY = "everybody";

export class HostTurns {
  readonly #clock: Pick<Clock, "monotonic" | "sleep">;
  readonly #rate: MessageRate;
  /** By origin, the next first. */
  readonly #lines = new Map<string, HostLine>();
  #isRunning = false;

  /** `rate`: turns of all together. */
  constructor(clock: Pick<Clock, "monotonic" | "sleep">, rate: { burst: number; perSecond: number }) {
    this.#clock = clock;
    this.#rate = new MessageRate(clock, { ...rate, maxKeys: 1 });
  }

  /**
   * Settles when it is the turn of the peer, which is one from there.
   * @throws the signal's reason, SharingError `protocol_error` where too many wait
   */
  next(origin: string, peerId: string, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const line = this.#lines.get(origin) ?? new HostLine();
      const settle = (end: () => void) => {
        signal?.removeEventListener("abort", onAbort);
        end();
      };
      const one: Waiting = {
        peerId,
        go: () => settle(resolve),
        refuse: () => settle(() => reject(tooMany())),
      };
      const onAbort = () => {
        line.leave(one);
        if (line.isEmpty) this.#lines.delete(origin);
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#lines.set(origin, line);
      line.join(one);
      void this.#run();
    });
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    for (let [next] = this.#lines; next !== undefined; [next] = this.#lines) {
      if (this.#rate.take(EVERYBODY)) {
        this.#giveTurn(...next);
        await nextTurn();
      } else {
        await this.#clock.sleep(this.#rate.waitMs(EVERYBODY));
      }
    }
    this.#isRunning = false;
  }

  #giveTurn(origin: string, line: HostLine): void {
    this.#lines.delete(origin);
    line.giveTurn();
    if (!line.isEmpty) this.#lines.set(origin, line);
  }
}

function tooMany(): SharingError {
  return new SharingError("protocol_error", "too many wait that come from there");
}

/** Whatever has come meanwhile has its turn. No timer, since those of a hidden page go off once a second. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}
