/** One archive in the list: what it holds, and what can be done with it. Called by backups; calls the client. */
import { useSignal } from "@preact/signals";
import { Button } from "../elements/button.tsx";
import { ConfirmDialog } from "../elements/confirm-dialog.tsx";
import { bytesText, whenText } from "../elements/quantities.ts";
import { When } from "../elements/when.tsx";
import { useApp } from "../state/app-state.ts";
import { saveBlob } from "../state/save-blob.ts";
import type { BackupEntry } from "./backup-contents.ts";

interface BackupRowProps {
  entry: BackupEntry;
  /** In words. */
  contents: string;
  restore(entry: BackupEntry): Promise<void>;
  remove(entry: BackupEntry): Promise<void>;
}

export function BackupRow({ entry, contents, restore, remove }: BackupRowProps) {
  const { toasts, vx } = useApp();
  const asks = useSignal<"restore" | "delete" | undefined>(undefined);
  const close = () => {
    asks.value = undefined;
  };
  const { name, timestamp } = entry;

  async function download(): Promise<void> {
    try {
      const archive = await vx.downloadBackup(name);
      // The browser keeps large bodies on disk meanwhile.
      saveBlob(await archive.blob(), name);
    } catch (error) {
      toasts.showError(error);
    }
  }

  return (
    <li>
      <div class="backups-what">
        <bdi class="figures">{name}</bdi>
        <span class="quiet small figures">
          {bytesText(entry.size_bytes)}, <When iso={timestamp} />
        </span>
        <span class="quiet small">{contents}</span>
      </div>
      <Button weight="bare" icon="save" iconOnly label={`Download ${name}`} onClick={() => void download()}>
        Download
      </Button>
      <Button weight="bare" icon="retry" label={`Restore ${name}`} onClick={() => (asks.value = "restore")}>
        Restore
      </Button>
      <Button
        weight="bare"
        icon="remove"
        iconOnly
        label={`Delete ${name}`}
        onClick={() => (asks.value = "delete")}
      >
        Delete
      </Button>
      {asks.value === "restore" && (
        <ConfirmDialog
          title="Restore this backup?"
          keepLabel="Keep the index"
          actLabel="Restore"
          act={() => restore(entry)}
          onClose={close}
        >
          <p>
            All vectors in the index are replaced by those in <bdi>{name}</bdi>, made {whenText(timestamp)}.
            What was added since is gone, unless you back it up first.
          </p>
        </ConfirmDialog>
      )}
      {asks.value === "delete" && (
        <ConfirmDialog
          title="Delete this backup?"
          keepLabel="Keep it"
          actLabel="Delete"
          act={() => remove(entry)}
          onClose={close}
        >
          <p>
            <bdi>{name}</bdi> is gone for good. One that later backups go on from can't be deleted.
          </p>
        </ConfirmDialog>
      )}
    </li>
  );
}
