/**
 * What a folder holds, by its list, which is here: all of it can be got by one button. Called by opened-file; calls
 * the client and get-many-dialog.
 */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Folder } from "../../api/folders.ts";
import { Dialog } from "../elements/dialog.tsx";
import { FileName } from "../elements/file-name.tsx";
import { type NamedFile, saveFolder } from "../files/file-actions.ts";
import { GetManyDialog } from "../get/get-many-dialog.tsx";
import { useApp } from "../state/app-state.ts";
import { messageOf } from "../state/toasts.ts";
import { folderLinks } from "./folder-links.ts";

interface FolderDialogProps {
  file: NamedFile;
  /** Multiaddrs that its files may be had from. */
  addresses: readonly string[];
  onClose: () => void;
}

export function FolderDialog({ file, addresses, onClose }: FolderDialogProps) {
  const app = useApp();
  const { client } = app;
  const folder = useSignal<Folder | { error: string } | undefined>(undefined);
  useEffect(() => {
    const stop = new AbortController();
    client.folder(file.id, stop.signal).then(
      (read) => {
        folder.value = read;
      },
      (error: unknown) => {
        if (!stop.signal.aborted) folder.value = { error: messageOf(error) };
      },
    );
    return () => stop.abort();
  }, [client, file.id, folder]);

  const read = folder.value;
  const title = <FileName name={file.name} />;
  if (read !== undefined && !("error" in read)) {
    const list = { fileId: file.id, name: file.name, addresses, unlisted: file.unlisted ?? false };
    const files = folderLinks(read, list);
    const save = () => void saveFolder(app, file);
    return <GetManyDialog title={title} files={files} folders={[list]} onSave={save} onClose={onClose} />;
  }
  return (
    <Dialog title={title} onClose={onClose}>
      {read === undefined ? (
        <p class="quiet" role="status">
          Reading what is in it…
        </p>
      ) : (
        <p role="alert">This folder can't be read: {read.error}</p>
      )}
    </Dialog>
  );
}
