/** When something was, in words that are put anew as time goes by. Called by the rows of files, folders and backups. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { WHEN_INTERVAL_MS, WHEN_SPAN_MS } from "../limits.ts";
import { whenText } from "./quantities.ts";

export function When({ iso }: { iso: string }) {
  const now = useSignal(Date.now());
  const isNear = now.value - Date.parse(iso) < WHEN_SPAN_MS;
  useEffect(() => {
    if (!isNear) return;
    const timer = setInterval(() => (now.value = Date.now()), WHEN_INTERVAL_MS);
    return () => clearInterval(timer);
  }, [isNear, now]);
  return <>{whenText(iso, now.value)}</>;
}
