/**
 * A warning of what happens again and again: in the log once a minute, with how often it did since the last time. Called by
 * the queue of webhooks, the HTTP server and the web-socket-door.
 */
import { REPEATED_WARNINGS_MS } from "./limits.ts";
import type { Clock, Log } from "./ports.ts";

interface RepeatedWarningPorts {
  log: Pick<Log, "warn">;
  clock: Pick<Clock, "monotonic">;
}

export class RepeatedWarning {
  readonly #ports: RepeatedWarningPorts;
  readonly #message: string;
  #count = 0;
  #toldMs = Number.NEGATIVE_INFINITY;

  constructor(ports: RepeatedWarningPorts, message: string) {
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
