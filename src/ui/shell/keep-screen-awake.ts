/** Keeps the screen awake while bytes flow and somebody looks. Called by presence. Source: Screen Wake Lock API. */
import { effect } from "@preact/signals";
import type { AppState } from "../state/app-state.ts";
import { isRunning } from "../transfers/transfer-words.ts";

/** Runs until the function returned is called. */
export function keepScreenAwake({ transfers, traffic }: Pick<AppState, "transfers" | "traffic">): () => void {
  let lock: Promise<WakeLockSentinel | undefined> | undefined;
  const release = () => {
    lock?.then((held) => held?.release());
    lock = undefined;
  };
  const update = () => {
    const isBusy = transfers.value.value?.some(isRunning) || traffic.latest.value.upBytesPerSecond > 0;
    const isSeen = document.visibilityState === "visible";
    if (!isBusy || !isSeen) return release();
    // Refused on low battery and where there is no such thing; the transfer goes on all the same.
    if ("wakeLock" in navigator) lock ??= navigator.wakeLock.request("screen").catch(() => undefined);
  };
  const stop = effect(update);
  // The browser lets go of the lock when the page is hidden.
  const onVisibility = () => {
    release();
    update();
  };
  document.addEventListener("visibilitychange", onVisibility);
  return () => {
    stop();
    document.removeEventListener("visibilitychange", onVisibility);
    release();
  };
}
