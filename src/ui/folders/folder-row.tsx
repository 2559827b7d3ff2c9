/**
 * A folder among files: how much of it is here, its files beneath it when it is opened, its link, and the rest in a menu. Called
 * by files-screen; calls file-actions, own-file-menu and folder-deletion.
 */
import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import { Button } from "../elements/button.tsx";
import { Menu, type MenuAction } from "../elements/menu.tsx";
import { bytesText, countText, numberText } from "../elements/quantities.ts";
import { When } from "../elements/when.tsx";
import { copyLinks, saveFolder } from "../files/file-actions.ts";
import { FileRow } from "../files/file-row.tsx";
import "../files/file-row.css";
import { shownName } from "../../spelling/folder-name.ts";
import { type OpenDialog, OwnFileDialog, ownFileMenu } from "../files/own-file-menu.tsx";
import { FoundExcerpt } from "../finding/found-excerpt.tsx";
import { useApp } from "../state/app-state.ts";
import { deletionMenu } from "./folder-deletion.ts";
import { FolderFiles } from "./folder-files.tsx";
import { FolderToggle } from "./folder-toggle.tsx";
import type { FolderGroup } from "./grouped.ts";

interface FolderRowProps {
  group: FolderGroup;
  isOpen: boolean;
  onToggle: () => void;
}

export function FolderRow({ group, isOpen, onToggle }: FolderRowProps) {
  const app = useApp();
  const dialog: OpenDialog = useSignal(undefined);
  const filesId = useId();
  const { list, folder, files } = group;
  const name = shownName(list.name);
  const here = files.filter(({ file }) => file.complete).length;
  const isWhole = here === folder.files.length;
  const seeContents = () => {
    dialog.value = "contents";
  };
  const actions: MenuAction[] = [
    isWhole
      ? { label: "Save all as a ZIP", icon: "save", run: () => void saveFolder(app, list) }
      : { label: "See what is in it", icon: "open", run: seeContents },
    ...ownFileMenu(app, list, dialog),
    ...deletionMenu(app, group),
  ];
  return (
    <li data-thing={list.id}>
      <div class="file-line file-row">
        <FolderToggle name={list.name} isOpen={isOpen} onToggle={onToggle} rowsId={filesId}>
          <FoundExcerpt file={list} />
          <span class="quiet small figures">
            {isWhole ? (
              <>
                {countText(here, "file")}, {bytesText(folder.size)} · <When iso={list.created_at} />
              </>
            ) : (
              `${numberText(here)} of ${countText(folder.files.length, "file")} here · ${bytesText(folder.size)} in all`
            )}
            {list.unlisted && " · unlisted"}
          </span>
        </FolderToggle>
        <Button icon="link" onClick={() => void copyLinks(app, [list])} label={`Copy link to ${name}`}>
          Copy link
        </Button>
        <Menu label={`More for ${name}`} actions={actions} />
      </div>
      {isOpen && (
        <FolderFiles
          id={filesId}
          name={name}
          group={group}
          rowOf={({ path, file }) => <FileRow key={path} file={file} name={path} />}
          missing={(count) => (
            <>
              {countText(count, "file is", "files are")} not here
              <Button label={`See what is in it, ${name}`} onClick={seeContents}>
                See what is in it
              </Button>
            </>
          )}
        />
      )}
      <OwnFileDialog file={list} dialog={dialog} />
    </li>
  );
}
