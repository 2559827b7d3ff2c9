/** The buttons of a transfer: what makes sense in its state. Called by the transfer card and the screen of a link. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { Button } from "../elements/button.tsx";
import type { IconName } from "../elements/icon.tsx";
import { useApp } from "../state/app-state.ts";
import type { Transfer } from "../state/entries.ts";
import "./transfer-actions.css";
import { isRunning, isUnfinished } from "./transfer-words.ts";

interface TransferActionsProps {
  transfer: Transfer;
  /** What its screen can do beside. */
  children?: ComponentChildren;
}

export function TransferActions({ transfer, children }: TransferActionsProps) {
  const { client, transfers, toasts } = useApp();
  const busy = useSignal<string | undefined>(undefined);

  /** `said`: what is so then, for those who do not see what became of the button. */
  const action = (
    label: string,
    icon: IconName,
    run: () => Promise<unknown>,
    said: string,
    isFinal = false,
  ) => (
    <Button
      icon={icon}
      isFinal={isFinal}
      busy={busy.value === label}
      label={`${label} ${transfer.name}`}
      onClick={async () => {
        busy.value = label;
        try {
          await run();
          toasts.say({ text: `${transfer.name} ${said}`, tone: "plain" });
          await transfers.refresh();
        } catch (error) {
          toasts.showError(error);
        } finally {
          busy.value = undefined;
        }
      }}
    >
      {label}
    </Button>
  );

  const resume = () => client.resume(transfer.file_id);
  /** One place for all three, so that the focus stays where it was when one becomes another. */
  function next() {
    if (isRunning(transfer)) return action("Pause", "pause", () => client.pause(transfer.id), "is paused.");
    if (transfer.status === "interrupted") return action("Resume", "play", resume, "goes on.");
    return transfer.status === "completed"
      ? null
      : action("Try again", "retry", resume, "is asked for again.");
  }
  return (
    <div class="transfer-actions">
      {children}
      {next()}
      {isUnfinished(transfer) &&
        action("Cancel", "close", () => client.cancel(transfer.id), "is cancelled.", true)}
    </div>
  );
}
