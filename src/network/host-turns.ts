/**
 * Whose turn it is of those for whom this node does so much a second, all strangers together: one from each origin, then a
 * second from each. A rate for each peer bounds nobody who comes under many ids. One at a time, so that a hundred who ask at
 * once hold up nothing else. Used by stream-turns and capped-dht.
 */
import { SharingError } from "../sharing/errors.ts";
import type { Clock } from "../sharing/ports.ts";
import { MAX_WAITING_PER_HOST } from "./limits.ts";
import { MessageRate } from "./message-rate.ts";

const EVERYBODY = "everybody";

export class HostTurns {
  readonly #clock: Pick<Clock, "monotonic" | "sleep">;
  readonly #rate: MessageRate;
  /** By origin, the next first, and so for each. */
  readonly #waiting = new Map<string, Set<() => void>>();
  #isRunning = false;

  /** `rate`: turns of all together. */
  constructor(clock: Pick<Clock, "monotonic" | "sleep">, rate: { burst: number; perSecond: number }) {
    this.#clock = clock;
    this.#rate = new MessageRate(clock, { ...rate, maxKeys: 1 });
  }

  /**
   * Settles when it is the turn of one from there.
   * @throws the signal's reason, SharingError `protocol_error` where too many wait
   */
  next(origin: string, signal?: AbortSignal): Promise<void> {
    const waiting = this.#waiting.get(origin) ?? new Set();
    if (waiting.size >= MAX_WAITING_PER_HOST) {
      return Promise.reject(new SharingError("protocol_error", "too many wait that come from there"));
    }
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const onAbort = () => {
        this.#leave(origin, go);
        reject(signal?.reason);
      };
      const go = () => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#waiting.set(origin, waiting.add(go));
      void this.#run();
    });
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    for (let [next] = this.#waiting; next !== undefined; [next] = this.#waiting) {
      if (this.#rate.take(EVERYBODY)) {
        this.#giveTurn(...next);
        await nextTurn();
      } else {
        await this.#clock.sleep(this.#rate.waitMs(EVERYBODY));
      }
    }
    this.#isRunning = false;
  }

  #giveTurn(origin: string, waiting: Set<() => void>): void {
    const [go] = waiting;
    this.#waiting.delete(origin);
    this.#waiting.set(origin, waiting);
    if (go === undefined) return;
    this.#leave(origin, go);
    go();
  }

  #leave(origin: string, go: () => void): void {
    const waiting = this.#waiting.get(origin);
    waiting?.delete(go);
    if (waiting?.size === 0) this.#waiting.delete(origin);
  }
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
