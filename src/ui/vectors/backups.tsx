/** Archives of the index: make, upload, restore, delete. Called by vectors-screen; calls the client and backup-row. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Button } from "../elements/button.tsx";
import { FileButton } from "../elements/file-button.tsx";
import { bytesText, countText } from "../elements/quantities.ts";
import { useApp } from "../state/app-state.ts";
import { archiveNameOf } from "./archive-name.ts";
import { type BackupEntry, contentsOf } from "./backup-contents.ts";
import { BackupRow } from "./backup-row.tsx";
import type { VectorsState } from "./vectors-state.ts";
import "./backups.css";

export function Backups({ state }: { state: VectorsState }) {
  const { toasts, vx } = useApp();
  const entries = useSignal<readonly BackupEntry[] | undefined>(undefined);
  const busyWith = useSignal<"all" | "changes" | "upload" | undefined>(undefined);
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
          <BackupRow
            key={entry.name}
            entry={entry}
            contents={contentsOf(entry, byName)}
            restore={restore}
            remove={remove}
          />
        ))}
      </ul>
    </section>
  );
}
