/**
 * One local file: open it, hand on its link, and the rest in a menu. Called by files-screen and folder-row; calls
 * file-actions and own-file-menu.
 */
import { useComputed, useSignal } from "@preact/signals";
import { shownName } from "../../spelling/folder-name.ts";
import { Button } from "../elements/button.tsx";
import { type FileKind, fileKind, isPlayed, isShown } from "../elements/file-kind.ts";
import { FileLine } from "../elements/file-line.tsx";
import { fileSizeText } from "../elements/file-size.ts";
import { Menu, type MenuAction } from "../elements/menu.tsx";
import { percentText } from "../elements/quantities.ts";
import { When } from "../elements/when.tsx";
import { FoundExcerpt } from "../finding/found-excerpt.tsx";
import { hrefOf } from "../router.ts";
import { useApp } from "../state/app-state.ts";
import type { LocalFile } from "../state/entries.ts";
import { isRunning, keepsFile } from "../transfers/transfer-words.ts";
import { copyLinks, saveFile } from "./file-actions.ts";
import "./file-row.css";
import { type OpenDialog, OwnFileDialog, ownFileMenu } from "./own-file-menu.tsx";

interface FileRowProps {
  file: LocalFile;
  /** What it is called where it stands: its path in a folder. */
  name?: string;
}

export function FileRow({ file, name = file.name }: FileRowProps) {
  const app = useApp();
  const dialog: OpenDialog = useSignal(undefined);
  const kind = fileKind(file.name);
  // Of a hundred rows none is drawn anew for the progress of another's file. One that is over is known sooner than that
  // its file is whole.
  const transfer = useComputed(() =>
    app.transfersOf.value.get(file.id)?.find(({ status }) => status !== "cancelled"),
  ).value;
  const open = () => {
    if (isShown(kind)) dialog.value = "contents";
    else void saveFile(app, file);
  };
  const isComing = transfer !== undefined && keepsFile(transfer);
  const remove = () =>
    app.deletions.request({ ...file, after: isComing ? ", cancelling its transfer." : "." });
  const canPlay = isPlayed(kind);
  const isPlayable = canPlay && transfer !== undefined && isRunning(transfer);
  const actions: MenuAction[] = [
    { label: openLabel(kind), icon: canPlay ? "play" : isShown(kind) ? "open" : "save", run: open },
    ...(isShown(kind) && kind !== "folder"
      ? [{ label: "Save to disk", icon: "save" as const, run: () => void saveFile(app, file) }]
      : []),
    ...ownFileMenu(app, file, dialog),
    { label: "Delete", icon: "remove", tone: "danger", run: remove },
  ];
  return (
    <li class="file-line file-row" data-thing={file.id}>
      <button type="button" class="file-line-open" onClick={open}>
        <FileLine name={name}>
          <FoundExcerpt file={file} />
          <span class="quiet small figures">
            {fileSizeText(file.name, file.size)}
            {" · "}
            {file.complete ? (
              <When iso={file.created_at} />
            ) : (
              `${percentText(transfer?.progress ?? 0)} here${isPlayable ? ", can be played already" : ""}`
            )}
            {file.unlisted && " · unlisted"}
          </span>
        </FileLine>
        <span class="unseen">{openLabel(kind)}</span>
      </button>
      {!file.complete && (
        <a class="button bare" href={hrefOf("transfers")}>
          See transfer
        </a>
      )}
      <Button
        icon="link"
        onClick={() => void copyLinks(app, [file])}
        label={`Copy link to ${shownName(name)}`}
      >
        Copy link
      </Button>
      <Menu label={`More for ${shownName(name)}`} actions={actions} />
      <OwnFileDialog file={file} dialog={dialog} />
    </li>
  );
}

function openLabel(kind: FileKind): string {
  if (isPlayed(kind)) return "Play";
  return isShown(kind) ? "Open" : "Save to disk";
}
