/** One transfer that is over, in a line. Called by transfers-screen. */

import { Button } from "../elements/button.tsx";
import { fileKind } from "../elements/file-kind.ts";
import { FileName } from "../elements/file-name.tsx";
import { fileSizeText } from "../elements/file-size.ts";
import { FileStamp } from "../elements/file-stamp.tsx";
import { saveFile } from "../files/file-actions.ts";
import { useApp } from "../state/app-state.ts";
import "./ended-transfer.css";
import { OpenButton, type OpenButtonProps } from "./open-button.tsx";
import { TransferActions } from "./transfer-actions.tsx";
import { adviceOn, statusText } from "./transfer-words.ts";

export function EndedTransfer({ transfer, onOpen }: OpenButtonProps) {
  const app = useApp();
  const { file_id: id, name, size } = transfer;
  const isCompleted = transfer.status === "completed";
  const file = app.files.value.value?.find((file) => file.id === id);
  return (
    <li class={`ended-transfer ${transfer.status}`} data-thing={transfer.id}>
      <FileStamp name={name} />
      <div class="ended-transfer-what">
        <h3>
          <FileName name={name} />
        </h3>
        <p class="small quiet figures">
          {size !== null && `${fileSizeText(name, size)} · `}
          {statusText(transfer)}
          {isCompleted && file === undefined && " · deleted since"}
        </p>
        {transfer.status === "failed" && <p class="small ended-transfer-error">{adviceOn(transfer)}</p>}
      </div>
      {isCompleted && <OpenButton transfer={transfer} onOpen={onOpen} />}
      {isCompleted && file?.complete && size !== null && fileKind(name) !== "folder" && (
        <Button
          icon="save"
          label={`Save ${name} to disk`}
          onClick={() => void saveFile(app, { id, name, size })}
        >
          Save
        </Button>
      )}
      <TransferActions transfer={transfer} />
    </li>
  );
}
