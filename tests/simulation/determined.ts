/**
 * What the engine takes of the runtime, for as long as a simulation runs: chance and names follow from the seed, hashing needs no
 * thread, and time limits are of the simulation's clock.
 */
import { createHash } from "node:crypto";
import type { Clock } from "../../src/sharing/ports.ts";
import type { Lots } from "./lots.ts";

/** Gives what makes all as it was. */
export function determine(lots: Lots, clock: Clock): () => void {
  let names = 0;
  const restores = [
    replace(Math, "random", () => lots.next()),
    replace(crypto, "randomUUID", () => {
      names += 1;
      return `00000000-0000-4000-8000-${String(names).padStart(12, "0")}`;
    }),
    replace(crypto.subtle, "digest", async (_, bytes) => {
      const digest = createHash("sha256")
        .update(bytes as Uint8Array)
        .digest();
      return new Uint8Array(digest).buffer;
    }),
    replace(AbortSignal, "timeout", (ms: number) => {
      const over = new AbortController();
      void clock.sleep(ms).then(() => over.abort(new DOMException("the time is over", "TimeoutError")));
      return over.signal;
    }),
  ];
  return () => {
    for (const restore of restores) restore();
  };
}

function replace<T extends object, K extends keyof T>(target: T, name: K, value: T[K]): () => void {
  const own = Object.getOwnPropertyDescriptor(target, name);
  Object.defineProperty(target, name, { value, configurable: true, writable: true });
  return () => {
    if (own === undefined) Reflect.deleteProperty(target, name);
    else Object.defineProperty(target, name, own);
  };
}
