/**
 * That some settings wait for the node's next start, and the way to it: at the bottom of the window, where it moves nothing
 * when it comes. Called by settings-screen, below all else.
 */
import { Button } from "../elements/button.tsx";
import { useApp } from "../state/app-state.ts";
import "./pending-changes.css";

export function PendingChanges() {
  const { hosting, reload } = useApp();
  const host = hosting.value;
  const canRestart = host.state === "running" && host.inThisTab;
  return (
    <div class="pending-changes" role="status">
      <p>Some changes wait for the next start.</p>
      {canRestart && <Button onClick={reload}>Start it anew</Button>}
    </div>
  );
}
