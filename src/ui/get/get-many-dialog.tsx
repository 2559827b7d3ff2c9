/**
 * Several files got by one button: those of links that were pasted at once, in folders too, those that a search found,
 * or those of a folder, named by their paths in it. Called by drop-anywhere, network-screen and folder-dialog; calls
 * the client.
 */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { folderNameOf } from "../../spelling/folder-name.ts";
import { Button } from "../elements/button.tsx";
import { Dialog } from "../elements/dialog.tsx";
import { FileName } from "../elements/file-name.tsx";
import { bytesText, countText, numberText } from "../elements/quantities.ts";
import { useDrawn } from "../elements/use-drawn.ts";
import { isWhole } from "../folders/folder-share.ts";
import { MAX_DIALLED_ADDRESSES } from "../limits.ts";
import type { FileLink } from "../links.ts";
import { useApp } from "../state/app-state.ts";
import { getEach, tellOfGetting, type Wanted } from "./get-each.ts";
import "./get-many-dialog.css";
import { useDial } from "./use-dial.ts";

interface GetManyDialogProps {
  /** Their number by default. */
  title?: ComponentChildren;
  files: readonly FileLink[];
  /** Lists of the folders that some of these are in. */
  folders?: readonly FileLink[];
  /** There is more, which is got once these are. */
  isPart?: boolean;
  /** Folders among them are got with what is in them. */
  opensFolders?: boolean;
  /** For what is all here. */
  onSave?: () => void;
  onClose: () => void;
}

export function GetManyDialog({
  title,
  files,
  folders = [],
  isPart = false,
  opensFolders = false,
  onSave,
  onClose,
}: GetManyDialogProps) {
  const app = useApp();
  const addresses = addressesOf(files);
  const dial = useDial(addresses);
  const asked = useSignal<{ count: number; of: number } | undefined>(undefined);
  const isOpen = useDrawn();
  const foldersHere = app.listing.value?.folders;
  const here = app.wholeFiles.value;
  const isFolder = ({ name = "" }: FileLink) => opensFolders && folderNameOf(name) !== undefined;
  const isHere = (link: FileLink) => {
    if (!isFolder(link)) return here.has(link.fileId);
    const folder = foldersHere?.get(link.fileId);
    return here.has(link.fileId) && folder !== undefined && isWhole(folder, here);
  };
  const missing = files.filter((link) => !isHere(link));
  // A thousand rows are not drawn anew for each file that is asked for.
  const rows = useMemo(
    () =>
      files.map((link) => (
        <li key={`${link.fileId} ${link.name}`}>
          <FileName name={link.name ?? link.fileId} />
          <span class="quiet small figures">
            {isHere(link) ? "here already" : isFolder(link) ? "Folder" : sizeText(link)}
          </span>
        </li>
      )),
    [files, here, foldersHere],
  );
  const noun = files.every(isFolder) ? "folder" : files.some(isFolder) ? "item" : "file";

  /** Goes on where it is closed meanwhile. */
  async function get(): Promise<void> {
    const wanted: Wanted = {
      files: missing.filter((link) => !isFolder(link) && link.folderId === undefined),
      folders: [...folders, ...missing.filter(isFolder)],
    };
    const of = wanted.files.length + wanted.folders.length;
    asked.value = { count: 0, of };
    try {
      const started = await getEach(app, wanted, here, (count) => {
        asked.value = { count, of };
      });
      if (!isOpen()) {
        tellOfGetting(app, started, { text: `Asked for ${countText(missing.length, noun)}.` });
        return;
      }
      onClose();
      app.router.go("transfers");
    } catch (error) {
      app.toasts.showError(error);
    } finally {
      asked.value = undefined;
    }
  }

  return (
    <Dialog
      title={title ?? countText(files.length, noun)}
      onClose={onClose}
      actions={
        missing.length === 0 && onSave !== undefined ? (
          <Button weight="main" icon="save" onClick={onSave}>
            Save all as a ZIP
          </Button>
        ) : (
          <Button
            weight="main"
            icon="down"
            busy={asked.value !== undefined}
            disabled={missing.length === 0 || app.phase.value.phase !== "running"}
            onClick={() => void get()}
          >
            {buttonText(asked.value, countText(missing.length, noun), missing.length)}
          </Button>
        )
      }
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard. */}
      <ul class="get-many-dialog-files" tabIndex={0} aria-label="Files to get">
        {rows}
      </ul>
      <p class="quiet" role="status">
        {!missing.some(isFolder) && totalText(missing)}
        {missing.length > 0 && isPart && " More is offered than is got together: get the rest the same way."}
        {missing.length > 0 && addresses.length > 0 && ` ${dial.value}`}
      </p>
    </Dialog>
  );
}

function addressesOf(files: readonly FileLink[]): string[] {
  return [...new Set(files.flatMap(({ addresses }) => addresses))].slice(0, MAX_DIALLED_ADDRESSES);
}

function sizeText({ sizeBytes }: FileLink): string {
  return sizeBytes === undefined ? "" : bytesText(sizeBytes);
}

function buttonText(asked: { count: number; of: number } | undefined, all: string, missing: number): string {
  if (asked?.of === 1) return "Asking…";
  if (asked !== undefined) return `Asking, ${numberText(asked.count)} of ${numberText(asked.of)}`;
  return missing === 0 ? "Nothing to get" : `Get ${all}`;
}

function totalText(missing: readonly FileLink[]): string {
  if (missing.length === 0) return "All of them are here already.";
  const sizes = missing.map(({ sizeBytes }) => sizeBytes);
  if (!sizes.every((size) => size !== undefined)) return "";
  return `${bytesText(sizes.reduce((sum, size) => sum + size, 0))} to get.`;
}
