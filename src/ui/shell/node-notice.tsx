/** Above a screen, when the node does not answer: why, and what to do. Called by the shell. */
import { Button } from "../elements/button.tsx";
import { Icon } from "../elements/icon.tsx";
import { NOTICE_AFTER_MS } from "../limits.ts";
import { useApp } from "../state/app-state.ts";
import { sentence } from "../state/sentence.ts";
import { useLong } from "../state/use-long.ts";
import "./node-notice.css";

export function NodeNotice() {
  const { phase } = useApp();
  const now = phase.value;
  // Another tab takes over in less, and a notice would only flash.
  const isLong = useLong(now.phase === "reconnecting", NOTICE_AFTER_MS);
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
        <strong>{sentence(now.reason)}</strong> {now.advice}
      </p>
      {now.retry && <Button onClick={now.retry}>Try again</Button>}
    </div>
  );
}
