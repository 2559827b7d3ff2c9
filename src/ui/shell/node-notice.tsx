/** Above a screen, when the node does not answer: why, and what to do. Called by the shell. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Button } from "../elements/button.tsx";
import { Icon } from "../elements/icon.tsx";
import { NOTICE_AFTER_MS } from "../limits.ts";
import { useApp } from "../state/app-state.ts";
import "./node-notice.css";

export function NodeNotice() {
  const { phase } = useApp();
  const now = phase.value;
  const isLong = useLong(now.phase === "reconnecting");
  if (now.phase === "running" || now.phase === "starting") return null;
  if (now.phase === "reconnecting") {
    if (!isLong) return null;
    return (
      <div class="node-notice" role="status">
        <Icon name="info" />
        <p>
          <strong>The node does not answer.</strong> It is asked again every few seconds; what you see may be
          a little old. Transfers go on by themselves once it is back.
        </p>
      </div>
    );
  }
  return (
    <div class="node-notice failed" role="alert">
      <Icon name="warn" />
      <p>
        <strong>{now.reason}</strong> {now.advice}
      </p>
      {now.retry && <Button onClick={now.retry}>Try again</Button>}
    </div>
  );
}

/** True once `isOn` has been true for a while: another tab takes over in less, and a notice would only flash. */
function useLong(isOn: boolean): boolean {
  const isLong = useSignal(false);
  useEffect(() => {
    isLong.value = false;
    if (!isOn) return;
    const timer = setTimeout(() => {
      isLong.value = true;
    }, NOTICE_AFTER_MS);
    return () => clearTimeout(timer);
  }, [isOn, isLong]);
  return isLong.value;
}
