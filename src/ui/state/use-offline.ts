/**
 * Whether the browser knows that this device has no network, as in flight mode; that it knows of one promises nothing. Called by
 * use-dial and the status line. Source: HTML, navigator.onLine.
 */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

export function useOffline(): boolean {
  const isOffline = useSignal(!navigator.onLine);
  useEffect(() => {
    const look = () => {
      isOffline.value = !navigator.onLine;
    };
    addEventListener("online", look);
    addEventListener("offline", look);
    return () => {
      removeEventListener("online", look);
      removeEventListener("offline", look);
    };
  }, []);
  return isOffline.value;
}
