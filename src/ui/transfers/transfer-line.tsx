/**
 * One transfer in a line: one that is over, or one of a folder, by its path there. Called by transfers-screen and
 * folder-transfers.
 */
import { useComputed } from "@preact/signals";
import { shownName } from "../../spelling/folder-name.ts";
import { Button } from "../elements/button.tsx";
import { fileKind } from "../elements/file-kind.ts";
import { FileName } from "../elements/file-name.tsx";
import { fileSizeText } from "../elements/file-size.ts";
import { FileStamp } from "../elements/file-stamp.tsx";
import { MakeRoom } from "../elements/make-room.tsx";
import { ProgressLine } from "../elements/progress-line.tsx";
import { percentText } from "../elements/quantities.ts";
import { saveFile } from "../files/file-actions.ts";
import { useApp } from "../state/app-state.ts";
import { OpenButton, type OpenButtonProps } from "./open-button.tsx";
import { TransferActions } from "./transfer-actions.tsx";
import "./transfer-line.css";
import { adviceOn, isRunning, isUnfinished, statusText } from "./transfer-words.ts";

interface TransferLineProps extends OpenButtonProps {
  /** In a folder. */
  path?: string;
}

export function TransferLine({ transfer, path, onOpen }: TransferLineProps) {
  const app = useApp();
  const { file_id: id, size, progress } = transfer;
  const name = path ?? transfer.name;
  const Heading = path === undefined ? "h3" : "h4";
  const isCompleted = transfer.status === "completed";
  const file = useComputed(() => app.fileById.value.get(id)).value;
  const advice = adviceOn(transfer);
  return (
    <li class={`transfer-line ${transfer.status}`} data-thing={transfer.id}>
      <FileStamp name={name} />
      <div class="transfer-line-what">
        <Heading>
          <FileName name={name} />
        </Heading>
        <p class="small quiet figures">
          {size !== null && `${fileSizeText(name, size)} · `}
          {isRunning(transfer) && progress > 0 && `${percentText(progress)} · `}
          {statusText(transfer)}
          {isCompleted && file === undefined && " · deleted since"}
        </p>
        {isUnfinished(transfer) && (
          <ProgressLine fraction={progress} label={`Progress of ${shownName(name)}`} />
        )}
        {advice !== undefined && (
          <p class={`small ${transfer.status === "failed" ? "transfer-line-error" : "quiet"}`}>{advice}</p>
        )}
        {transfer.storage_full && <MakeRoom />}
      </div>
      {(isCompleted || path !== undefined) && <OpenButton transfer={transfer} name={name} onOpen={onOpen} />}
      {isCompleted && file?.complete && size !== null && fileKind(name) !== "folder" && (
        <Button
          icon="save"
          label={`Save ${name} to disk`}
          onClick={() => void saveFile(app, { id, name: transfer.name, size })}
        >
          Save
        </Button>
      )}
      <TransferActions transfer={transfer} name={name} />
    </li>
  );
}
