/**
 * Opens on the page what a transfer brings: film and sound while they come and afterwards, pictures and texts once they are
 * here. Called by the transfer card and the line of one that is over.
 */
import { useComputed } from "@preact/signals";
import { shownName } from "../../spelling/folder-name.ts";
import { Button } from "../elements/button.tsx";
import { fileKind, isPlayed, isShown } from "../elements/file-kind.ts";
import { useApp } from "../state/app-state.ts";
import type { LocalFile, Transfer } from "../state/entries.ts";
import { isRunning } from "./transfer-words.ts";

export interface OpenButtonProps {
  transfer: Transfer;
  onOpen: (file: LocalFile) => void;
}

/** Nothing where the page can't show it, or where what is not here yet would be waited for in vain. */
export function OpenButton({ transfer, name = transfer.name, onOpen }: OpenButtonProps & { name?: string }) {
  const { fileById } = useApp();
  const file = useComputed(() => fileById.value.get(transfer.file_id)).value;
  if (file === undefined) return null;
  const kind = fileKind(file.name);
  const canPlay = isPlayed(kind);
  if (!isShown(kind) || !(file.complete || (canPlay && isRunning(transfer)))) return null;
  const verb = canPlay ? "Play" : "Open";
  return (
    <Button
      icon={canPlay ? "play" : "open"}
      label={`${verb} ${shownName(name)}`}
      onClick={() => onOpen(file)}
    >
      {verb}
    </Button>
  );
}
