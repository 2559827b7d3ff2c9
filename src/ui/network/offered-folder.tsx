/**
 * A folder that others offer: how much it holds, who has it, a button that gets all of it, and its files beneath it when it is
 * opened. Called by network-screen.
 */
import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import { shownName } from "../../spelling/folder-name.ts";
import { Menu } from "../elements/menu.tsx";
import { bytesText, countText, numberText } from "../elements/quantities.ts";
import { FoundExcerpt } from "../finding/found-excerpt.tsx";
import { SimilarDialog } from "../finding/similar-dialog.tsx";
import { FolderFiles } from "../folders/folder-files.tsx";
import { FolderToggle } from "../folders/folder-toggle.tsx";
import { fragmentOf, linkOf } from "../links.ts";
import { useApp } from "../state/app-state.ts";
import { GetFolder } from "./get-folder.tsx";
import { Holders } from "./holders.tsx";
import { NetworkRow } from "./network-row.tsx";
import type { OfferedFolderGroup } from "./offered-rows.ts";

interface OfferedFolderProps {
  group: OfferedFolderGroup;
  isOpen: boolean;
  onToggle: () => void;
}

export function OfferedFolder({ group, isOpen, onToggle }: OfferedFolderProps) {
  const { router } = useApp();
  const isComparing = useSignal(false);
  const filesId = useId();
  const { list, folder, files } = group;
  const name = shownName(list.name);
  const count = countText(folder.files.length, "file");
  return (
    <li data-thing={list.id}>
      <div class="file-line network-row">
        <FolderToggle name={list.name} isOpen={isOpen} onToggle={onToggle} rowsId={filesId}>
          <FoundExcerpt file={list} />
          <Holders peers={list.peers}>
            {files.length === folder.files.length ? count : `${numberText(files.length)} of ${count}`},{" "}
            {bytesText(folder.size)} in all
          </Holders>
        </FolderToggle>
        <GetFolder group={group} />
        <Menu
          label={`More for ${name}`}
          actions={[
            { label: "Open its page", icon: "open", run: () => router.open(fragmentOf(linkOf(list))) },
            { label: "More like this", icon: "search", run: () => (isComparing.value = true) },
          ]}
        />
      </div>
      {isOpen && (
        <FolderFiles
          id={filesId}
          name={name}
          group={group}
          rowOf={({ path, file }) => <NetworkRow key={path} file={file} name={path} />}
          missing={(count) => `${countText(count, "file is", "files are")} offered by nobody now`}
        />
      )}
      {isComparing.value && <SimilarDialog file={list} onClose={() => (isComparing.value = false)} />}
    </li>
  );
}
