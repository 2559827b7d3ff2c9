/** What happened in a simulation, a line each, and the first rule that was broken. */
import type { Clock } from "../../src/sharing/ports.ts";

export class Trace {
  readonly lines: string[] = [];
  readonly #clock: Clock;
  readonly #startMs: number;
  #breach: string | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startMs = clock.monotonic();
  }

  /** Of what is known only once something else breaks. */
  get breach(): string | undefined {
    return this.#breach;
  }

  say(who: string, what: string): void {
    const seconds = (this.#clock.monotonic() - this.#startMs) / 1000;
    this.lines.push(`${seconds.toFixed(3).padStart(9)}  ${who.padEnd(8)} ${what}`);
  }

  /** A rule does not hold. The simulation ends with the first. */
  broken(who: string, what: string): void {
    this.say(who, `BROKEN: ${what}`);
    this.#breach ??= `${who}: ${what}`;
  }
}

/** An error in a line. */
export function errorText(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
