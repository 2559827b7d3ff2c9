/**
 * Tells when the page may have lost its connections unnoticed: the device slept, the page was frozen, or it came back to a
 * network. Used by start-node, which has connections checked then. Source: Page Lifecycle; HTML, navigator.onLine.
 */
import { SLEEP_SUSPECTED_MS, WAKE_LOOK_MS } from "../limits.ts";

export function watchWakes(onWake: () => void): { stop(): void } {
  let lookedMs = Date.now();
  // A device that slept gives no event, but its clock has jumped. Hidden pages look once a minute at worst.
  const timer = setInterval(() => {
    const passedMs = Date.now() - lookedMs;
    lookedMs = Date.now();
    if (passedMs > SLEEP_SUSPECTED_MS) onWake();
  }, WAKE_LOOK_MS);
  addEventListener("online", onWake);
  document.addEventListener("resume", onWake);
  return {
    stop() {
      clearInterval(timer);
      removeEventListener("online", onWake);
      document.removeEventListener("resume", onWake);
    },
  };
}
