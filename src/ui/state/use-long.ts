/** A condition that is worth telling of only when it lasts. Called by the shell and by screens that wait. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

/** True once `isOn` has been true for so long, until it is not. */
export function useLong(isOn: boolean, afterMs: number): boolean {
  const isLong = useSignal(false);
  useEffect(() => {
    isLong.value = false;
    if (!isOn) return;
    const timer = setTimeout(() => {
      isLong.value = true;
    }, afterMs);
    return () => clearTimeout(timer);
  }, [isOn, afterMs, isLong]);
  return isLong.value;
}
