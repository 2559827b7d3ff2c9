/**
 * The transfers of one folder as a row: what they come to together, what can be done with all of them, and each beneath it when
 * it is opened. Called by transfers-screen.
 */
import { useId } from "preact/hooks";
import { folderListName } from "../../spelling/folder-name.ts";
import { Advice } from "../elements/advice.tsx";
import { Button } from "../elements/button.tsx";
import { MakeRoom } from "../elements/make-room.tsx";
import { ProgressLine } from "../elements/progress-line.tsx";
import { bytesText, percentText } from "../elements/quantities.ts";
import { saveFolder } from "../files/file-actions.ts";
import { isWhole } from "../folders/folder-share.ts";
import { FolderToggle } from "../folders/folder-toggle.tsx";
import { RowsBeneath } from "../folders/rows-beneath.tsx";
import { useApp } from "../state/app-state.ts";
import "./folder-transfers.css";
import { JointActions } from "./joint-actions.tsx";
import { useJointSpeed } from "./joint-speed.ts";
import { jointAdvice, jointOf, jointText } from "./joint-words.ts";
import type { OpenButtonProps } from "./open-button.tsx";
import "./transfer-card.css";
import { TransferLine } from "./transfer-line.tsx";
import type { TransferGroup } from "./transfer-rows.ts";
import { isUnfinished } from "./transfer-words.ts";

interface FolderTransfersProps extends Pick<OpenButtonProps, "onOpen"> {
  group: TransferGroup;
  isOpen: boolean;
  onToggle: () => void;
}

export function FolderTransfers({ group, isOpen, onToggle, onOpen }: FolderTransfersProps) {
  const app = useApp();
  const rowsId = useId();
  const { id, folder, transfers } = group;
  const isGoing = transfers.some(isUnfinished);
  const joint = jointOf(group);
  const speed = useJointSpeed(transfers, joint);
  const advice = jointAdvice(group);
  const isDeleted =
    app.files.value.value !== undefined &&
    transfers.every(({ status, file_id }) => status === "completed" && !app.fileById.value.has(file_id));
  return (
    <li class={isGoing ? "transfer-card" : undefined} data-thing={id}>
      <div class={isGoing ? "transfer-card-head" : "transfer-line"}>
        <h3 class="transfer-folder-name">
          <FolderToggle
            name={folderListName(folder.name)}
            isOpen={isOpen}
            onToggle={onToggle}
            rowsId={rowsId}
          >
            <span class="quiet small figures">
              {jointText(group, speed)}
              {isDeleted && " · deleted since"}
            </span>
          </FolderToggle>
        </h3>
        {isGoing && (
          <p class="transfer-card-share figures">
            <strong>{percentText(joint.progress)}</strong>
            <span class="small quiet">of {bytesText(joint.sizeBytes)}</span>
          </p>
        )}
        <SaveAll group={group} />
        <JointActions group={group} />
      </div>
      {isGoing && <ProgressLine fraction={joint.progress} label={`Progress of ${folder.name}`} />}
      {advice !== undefined && <Advice>{advice}</Advice>}
      {!isOpen && transfers.some(({ storage_full }) => storage_full) && <MakeRoom />}
      {isOpen && <Files id={rowsId} group={group} onOpen={onOpen} />}
    </li>
  );
}

/** Where every file of the folder is here, those too that were before. */
function SaveAll({ group: { id, folder } }: { group: TransferGroup }) {
  const app = useApp();
  const list = app.fileById.value.get(id);
  if (!list?.complete || !isWhole(folder, app.wholeFiles.value)) return null;
  return (
    <Button icon="save" label={`Save as a ZIP, ${folder.name}`} onClick={() => void saveFolder(app, list)}>
      Save as a ZIP
    </Button>
  );
}

interface FilesProps extends Pick<OpenButtonProps, "onOpen"> {
  id: string;
  group: TransferGroup;
}

function Files({ id, group, onOpen }: FilesProps) {
  const { folder, transfers } = group;
  const paths = new Map(folder.files.map(({ file_id, path }) => [file_id, path]));
  return (
    <RowsBeneath
      id={id}
      folderId={group.id}
      name={folder.name}
      label={`Transfers of ${folder.name}`}
      rows={transfers}
      rowOf={(transfer) => (
        <TransferLine
          key={transfer.id}
          transfer={transfer}
          path={paths.get(transfer.file_id) ?? transfer.name}
          onOpen={onOpen}
        />
      )}
    />
  );
}
