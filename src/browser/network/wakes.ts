/**
 * Tells when the page may have lost its connections unnoticed by what the engine says: the page was frozen, or came back to a
 * network; of a device that slept it says nothing, which the network finds out itself. Used by start-node, which has connections
 * checked then. Source: Page Lifecycle; HTML, navigator.onLine.
 */
export function watchWakes(onWake: () => void): { stop(): void } {
  addEventListener("online", onWake);
  document.addEventListener("resume", onWake);
  return {
    stop() {
      removeEventListener("online", onWake);
      document.removeEventListener("resume", onWake);
    },
  };
}
