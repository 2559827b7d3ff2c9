/** The buttons of a folder's transfers: what single rows offer, for all of them at once. Called by folder-transfers. */
import { useApp } from "../state/app-state.ts";
import type { Transfer } from "../state/entries.ts";
import { eachTransfer, endEach } from "./each-transfer.ts";
import { jointTargets } from "./joint-targets.ts";
import "./transfer-actions.css";
import type { TransferGroup } from "./transfer-rows.ts";
import { useActions } from "./use-actions.tsx";

export function JointActions({ group: { folder, transfers } }: { group: TransferGroup }) {
  const { client } = useApp();
  const action = useActions(folder.name);
  const { pause, resume, tryAgain, cancel } = jointTargets(transfers);
  const askFor = (which: readonly Transfer[]) => () =>
    eachTransfer(which, ({ file_id }) => client.resume(file_id));
  const again = tryAgain.length > 0 && action("Try again", askFor(tryAgain));
  /** One place for all, as for a single transfer. */
  function next() {
    if (pause.length > 0) return action("Pause", () => endEach(pause, (id) => client.pause(id)));
    return resume.length > 0 ? action("Resume", askFor(resume)) : again;
  }
  return (
    <div class="transfer-actions">
      {next()}
      {cancel.length > 0 && again}
      {cancel.length > 0 && action("Cancel", () => endEach(cancel, (id) => client.cancel(id)))}
    </div>
  );
}
