/**
 * How fast a folder comes: by how much more of it is here than some seconds ago, since its files may come one after the other,
 * each too soon for a speed of its own. Called by folder-transfers.
 */
import { useRef } from "preact/hooks";
import { JOINT_SPEED_SPAN_MS, MIN_JOINT_SPEED_MS } from "../limits.ts";
import type { Transfer } from "../state/entries.ts";
import type { Joint } from "./joint-words.ts";
import { isRunning } from "./transfer-words.ts";

/**
 * Bytes a second; undefined where something comes that was not looked at for long enough. `joint`: what the transfers come to
 * now.
 */
export function useJointSpeed(transfers: readonly Transfer[], joint: Joint): number | undefined {
  const growth = useRef(new Growth());
  const running = transfers.filter(isRunning);
  if (running.length === 0) {
    growth.current = new Growth();
    return 0;
  }
  const grown = growth.current.look(performance.now(), joint.progress * joint.sizeBytes);
  const told = running.reduce((sum, { speed }) => sum + speed, 0);
  // Transfers that have just begun tell of less than comes.
  if (grown === undefined) return told === 0 ? 0 : undefined;
  // Of a single chunk that takes longer than all that is looked back on, its own transfer knows more.
  return grown || told;
}

/** How fast a number of bytes grows that is looked at from time to time. */
export class Growth {
  /** The oldest first: one from before the span, and those since. */
  #looks: { ms: number; bytes: number }[] = [];

  /** Bytes a second over the last seconds; undefined before there are enough of them. */
  look(nowMs: number, reckoned: number): number | undefined {
    // Of shares of another whole the same bytes are a fraction more or less.
    const bytes = Math.round(reckoned);
    // Some of it is not wanted any more, or begins anew.
    if (bytes < (this.#looks.at(-1)?.bytes ?? 0)) this.#looks = [];
    this.#looks.push({ ms: nowMs, bytes });
    while ((this.#looks[1]?.ms ?? nowMs) < nowMs - JOINT_SPEED_SPAN_MS) this.#looks.shift();
    const [first = { ms: nowMs, bytes }] = this.#looks;
    const ms = nowMs - first.ms;
    return ms < MIN_JOINT_SPEED_MS ? undefined : ((bytes - first.bytes) * 1000) / ms;
  }
}
