/** The buttons of a folder's transfers: what single rows offer, for all of them at once. Called by folder-transfers. */
import { useApp } from "../state/app-state.ts";
import type { Transfer } from "../state/entries.ts";
import { eachTransfer, endEach } from "./each-transfer.ts";
import "./transfer-actions.css";
import type { TransferGroup } from "./transfer-rows.ts";
import { isRunning, isUnfinished } from "./transfer-words.ts";
import { useActions } from "./use-actions.tsx";

export function JointActions({ group: { folder, transfers } }: { group: TransferGroup }) {
  const { client } = useApp();
  const action = useActions(folder.name);
  const unfinished = transfers.filter(isUnfinished);
  const lost = transfers.filter(({ status }) =>
    unfinished.length > 0 ? status === "failed" : status !== "completed",
  );
  const resume = (which: readonly Transfer[]) => () =>
    eachTransfer(which, ({ file_id }) => client.resume(file_id));
  /** One place for all, as for a single transfer. */
  function next() {
    if (unfinished.some(isRunning)) {
      const going = unfinished.filter(({ paused }) => !paused);
      return action("Pause", () => endEach(going, (id) => client.pause(id)));
    }
    if (unfinished.length > 0) return action("Resume", resume(unfinished));
    return lost.length > 0 ? action("Try again", resume(lost)) : null;
  }
  return (
    <div class="transfer-actions">
      {next()}
      {unfinished.length > 0 && lost.length > 0 && action("Try again", resume(lost))}
      {unfinished.length > 0 && action("Cancel", () => endEach(unfinished, (id) => client.cancel(id)))}
    </div>
  );
}
