/** Archives of the index: make, download, upload, restore. Called by vectors-screen; calls the client and archive-file. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Button } from "../elements/button.tsx";
import { ConfirmDialog } from "../elements/confirm-dialog.tsx";
import { FileButton } from "../elements/file-button.tsx";
import { bytesText, countText, whenText } from "../elements/quantities.ts";
import { When } from "../elements/when.tsx";
import { useApp } from "../state/app-state.ts";
import { archiveNameOf, saveResponse } from "./archive-file.ts";
import { type BackupEntry, contentsOf } from "./backup-contents.ts";
import type { VectorsState } from "./vectors-state.ts";
import "./backups.css";

export function Backups({ state }: { state: VectorsState }) {
  const { toasts, vx } = useApp();
  const entries = useSignal<readonly BackupEntry[] | undefined>(undefined);
  const busyWith = useSignal<"all" | "changes" | "upload" | undefined>(undefined);
  const restoring = useSignal<BackupEntry | undefined>(undefined);
  const deleting = useSignal<BackupEntry | undefined>(undefined);
  /** Said here and not in a toast, which would cover the list. */
  const told = useSignal("");

  const byName = new Map(entries.value?.map((entry) => [entry.name, entry]));

  async function refresh(): Promise<void> {
    entries.value = await vx.backups();
  }
  useEffect(() => void refresh().catch(toasts.showError), []);

  async function doing(what: "all" | "changes" | "upload", task: () => Promise<string>): Promise<void> {
    busyWith.value = what;
    told.value = "";
    try {
      told.value = await task();
      await refresh();
    } catch (error) {
      toasts.showError(error);
    } finally {
      busyWith.value = undefined;
    }
  }

  const make = (incremental: boolean) =>
    doing(incremental ? "changes" : "all", async () => {
      const made = await vx.backup(undefined, incremental);
      return `Backup written: ${bytesText(made.size_bytes)}${made.incremental ? ", of what changed since the last" : ""}.`;
    });
  const upload = (file: File) =>
    doing("upload", async () => {
      const { name } = await vx.uploadBackup(archiveNameOf(file.name), file);
      return `${name} is here. Restore it to put it in place.`;
    });

  async function restore({ path }: BackupEntry): Promise<void> {
    const { vector_count: count } = await vx.restore(path);
    state.picked.value = undefined;
    state.clearSearch();
    told.value = `Restored: the index holds ${countText(count, "vector")}.`;
    void state.redraw();
  }

  async function remove({ name }: BackupEntry): Promise<void> {
    await vx.deleteBackup(name);
    told.value = `${name} is deleted.`;
    await refresh();
  }

  async function download({ name }: BackupEntry): Promise<void> {
    try {
      await saveResponse(await vx.downloadBackup(name), name);
    } catch (error) {
      toasts.showError(error);
    }
  }

  return (
    <section class="vectors-section" aria-labelledby="backups-title">
      <h2 id="backups-title">Backups</h2>
      <p class="quiet">
        An archive holds the whole index, or what changed since the one before, which must then be there to
        restore it. Restoring replaces the index.
      </p>
      <div class="backups-actions">
        <Button icon="add" busy={busyWith.value === "all"} onClick={() => void make(false)}>
          Back up now
        </Button>
        <Button
          weight="bare"
          busy={busyWith.value === "changes"}
          disabled={(entries.value?.length ?? 0) === 0}
          onClick={() => void make(true)}
        >
          Only what changed
        </Button>
        <FileButton
          icon="up"
          weight="bare"
          busy={busyWith.value === "upload"}
          filesLabel="Archive to upload"
          accept=".zip,application/zip"
          onFiles={([file]) => void upload(file)}
        >
          Upload an archive
        </FileButton>
      </div>
      <p class="small" role="status">
        {told.value}
      </p>
      {entries.value?.length === 0 && (
        <p class="quiet">No backup yet. One is made by itself every hour while vectors change.</p>
      )}
      <ul class="backups-list" hidden={(entries.value?.length ?? 0) === 0}>
        {entries.value?.map((entry) => (
          <li key={entry.name}>
            <div class="backups-what">
              <bdi class="figures">{entry.name}</bdi>
              <span class="quiet small figures">
                {bytesText(entry.size_bytes)}, <When iso={entry.timestamp} />
              </span>
              <span class="quiet small">{contentsOf(entry, byName)}</span>
            </div>
            <Button
              weight="bare"
              icon="save"
              iconOnly
              label={`Download ${entry.name}`}
              onClick={() => void download(entry)}
            >
              Download
            </Button>
            <Button
              weight="bare"
              icon="retry"
              label={`Restore ${entry.name}`}
              onClick={() => (restoring.value = entry)}
            >
              Restore
            </Button>
            <Button
              weight="bare"
              icon="remove"
              iconOnly
              label={`Delete ${entry.name}`}
              onClick={() => (deleting.value = entry)}
            >
              Delete
            </Button>
          </li>
        ))}
      </ul>
      {restoring.value !== undefined && (
        <ConfirmDialog
          title="Restore this backup?"
          keepLabel="Keep the index"
          actLabel="Restore"
          act={() => restore(restoring.value as BackupEntry)}
          onClose={() => (restoring.value = undefined)}
        >
          <p>
            All vectors in the index are replaced by those in <bdi>{restoring.value.name}</bdi>, made{" "}
            {whenText(restoring.value.timestamp)}. What was added since is gone, unless you back it up first.
          </p>
        </ConfirmDialog>
      )}
      {deleting.value !== undefined && (
        <ConfirmDialog
          title="Delete this backup?"
          keepLabel="Keep it"
          actLabel="Delete"
          act={() => remove(deleting.value as BackupEntry)}
          onClose={() => (deleting.value = undefined)}
        >
          <p>
            <bdi>{deleting.value.name}</bdi> is gone for good. One that later backups go on from can't be
            deleted.
          </p>
        </ConfirmDialog>
      )}
    </section>
  );
}
