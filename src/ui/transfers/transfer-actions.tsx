/** The buttons of a transfer: what makes sense in its state. Called by the rows of transfers and the screen of a link. */
import type { ComponentChildren } from "preact";
import { useApp } from "../state/app-state.ts";
import type { Transfer } from "../state/entries.ts";
import "./transfer-actions.css";
import { isRunning, isUnfinished } from "./transfer-words.ts";
import { useActions } from "./use-actions.tsx";

interface TransferActionsProps {
  transfer: Transfer;
  /** What it is called where it stands. */
  name?: string;
  /** What its screen can do beside. */
  children?: ComponentChildren;
}

export function TransferActions({ transfer, name = transfer.name, children }: TransferActionsProps) {
  const { client, toasts } = useApp();
  const action = useActions(name);
  /** Of a file that is to come to several places, as commands can ask, the node may go on with another. */
  async function resume(): Promise<void> {
    const { transfer_id: id } = await client.resume(transfer.file_id);
    if (id !== transfer.id)
      toasts.show({
        text: { file: name, after: " has another transfer, which goes on instead of this one." },
      });
  }
  /** One place for all three, so that the focus stays where it was when one becomes another. */
  function next() {
    if (isRunning(transfer)) return action("Pause", () => client.pause(transfer.id));
    if (transfer.status === "interrupted") return action("Resume", resume);
    return transfer.status === "completed" ? null : action("Try again", resume);
  }
  return (
    <div class="transfer-actions">
      {children}
      {next()}
      {isUnfinished(transfer) && action("Cancel", () => client.cancel(transfer.id))}
    </div>
  );
}
