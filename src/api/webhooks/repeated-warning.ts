/**
 * A warning of what happens again and again: in the log once a minute, with how often it did since the last time. Called by queue.
 */
import type { Clock, Log } from "../../sharing/ports.ts";
import { REPEATED_WARNINGS_MS } from "../limits.ts";

export class RepeatedWarning {
  readonly #ports: { log: Log; clock: Clock };
  readonly #message: string;
  #count = 0;
  #toldMs = Number.NEGATIVE_INFINITY;

  constructor(ports: { log: Log; clock: Clock }, message: string) {
    this.#ports = ports;
    this.#message = message;
  }

  tell(details: Record<string, unknown>): void {
    const { clock, log } = this.#ports;
    const nowMs = clock.monotonic();
    this.#count += 1;
    if (nowMs - this.#toldMs < REPEATED_WARNINGS_MS) return;
    log.warn(this.#message, { ...details, count: this.#count });
    this.#toldMs = nowMs;
    this.#count = 0;
  }
}
