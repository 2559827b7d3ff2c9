/** Asks again and again while the page is seen. Called by app-state and by components for as long as they are drawn. */
import { type ReadonlySignal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

/**
 * Calls `ask` each time the interval has passed since its last answer, while `wanted` and the page is visible. A
 * failure is no news here: the node's phase tells of it, and the next turn asks anew.
 */
export function poll(
  ask: () => Promise<void>,
  intervalMs: number,
  wanted: () => boolean,
  stop: AbortSignal,
): void {
  let timer: ReturnType<typeof setTimeout>;
  async function turn(): Promise<void> {
    if (wanted() && document.visibilityState === "visible") await ask().catch(() => undefined);
    if (!stop.aborted) timer = setTimeout(turn, intervalMs);
  }
  stop.addEventListener("abort", () => clearTimeout(timer));
  timer = setTimeout(turn, intervalMs);
}

/**
 * The last answer of `load`, asked anew at the interval while the component is drawn and `active`, or else once for
 * each key. While it is not `seen`, nothing is asked.
 */
export function usePolled<T>(
  load: () => Promise<T>,
  intervalMs: number,
  key: string,
  active: boolean,
  seen = true,
): ReadonlySignal<T | undefined> {
  const value = useSignal<T | undefined>(undefined);
  useEffect(() => {
    if (!seen) return;
    const stop = new AbortController();
    const ask = async () => {
      const answer = await load();
      if (!stop.signal.aborted) value.value = answer;
    };
    ask().catch(() => undefined);
    if (active) poll(ask, intervalMs, () => true, stop.signal);
    return () => stop.abort();
  }, [key, active, seen, intervalMs]);
  return value;
}
