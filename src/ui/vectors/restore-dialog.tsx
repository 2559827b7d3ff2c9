/** Asks before an archive takes the index's place. Called by backups. */
import { useSignal } from "@preact/signals";
import { Button } from "../elements/button.tsx";
import { Dialog } from "../elements/dialog.tsx";
import { whenText } from "../elements/quantities.ts";
import { useApp } from "../state/app-state.ts";
import { messageOf } from "../state/toasts.ts";
import type { BackupEntry } from "./backups.tsx";

interface RestoreDialogProps {
  entry: BackupEntry;
  onClose: () => void;
  onRestored: (vectorCount: number) => void;
}

export function RestoreDialog({ entry, onClose, onRestored }: RestoreDialogProps) {
  const { vx } = useApp();
  const isBusy = useSignal(false);
  const error = useSignal<string | undefined>(undefined);

  async function restore(): Promise<void> {
    isBusy.value = true;
    error.value = undefined;
    try {
      onRestored((await vx.restore(entry.path)).vector_count);
    } catch (caught) {
      error.value = `${messageOf(caught)} The index is what it was.`;
      isBusy.value = false;
    }
  }

  return (
    <Dialog
      title="Restore this backup?"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Keep the index</Button>
          <Button weight="main" busy={isBusy.value} onClick={() => void restore()}>
            Restore
          </Button>
        </>
      }
    >
      <p>
        All vectors in the index are replaced by those in <bdi>{entry.name}</bdi>, of{" "}
        {whenText(entry.timestamp)}. What was added since is gone, unless you back it up first.
      </p>
      {error.value !== undefined && (
        <p class="backups-error" role="alert">
          {error.value}
        </p>
      )}
    </Dialog>
  );
}
