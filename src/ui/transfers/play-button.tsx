/** Plays what a transfer brings, while it comes and afterwards. Called by the transfer card and the line of one that is over. */
import { Button } from "../elements/button.tsx";
import { fileKind } from "../elements/file-kind.ts";
import { useApp } from "../state/app-state.ts";
import type { LocalFile, Transfer } from "../state/entries.ts";
import { isRunning } from "./transfer-words.ts";

export interface PlayButtonProps {
  transfer: Transfer;
  onPlay: (file: LocalFile) => void;
}

/** Nothing where it is no film or sound, or where what is not here yet would be waited for in vain. */
export function PlayButton({ transfer, onPlay }: PlayButtonProps) {
  const kind = fileKind(transfer.name);
  const file = useApp().files.value.value?.find(({ id }) => id === transfer.file_id);
  if (kind !== "video" && kind !== "audio") return null;
  if (file === undefined || !(file.complete || isRunning(transfer))) return null;
  return (
    <Button icon="play" label={`Play ${transfer.name}`} onClick={() => onPlay(file)}>
      Play
    </Button>
  );
}
