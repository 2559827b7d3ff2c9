/**
 * A folder among files: how much of it is here, its files beneath it when it is opened, its link, and the rest in a menu. Called
 * by files-screen; calls file-actions and folder-deletion.
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
import { LinkDialog } from "../files/link-dialog.tsx";
import { linkMenu } from "../files/link-menu.ts";
import { listingMenu } from "../files/listing-menu.ts";
import { SendDialog } from "../files/send-dialog.tsx";
import { FoundExcerpt } from "../finding/found-excerpt.tsx";
import { SimilarDialog } from "../finding/similar-dialog.tsx";
import { useApp } from "../state/app-state.ts";
import { deletionMenu } from "./folder-deletion.ts";
import { FolderDialog } from "./folder-dialog.tsx";
import { FolderFiles } from "./folder-files.tsx";
import { shownName } from "./folder-name.ts";
import { FolderToggle } from "./folder-toggle.tsx";
import type { FolderGroup } from "./grouped.ts";

interface FolderRowProps {
  group: FolderGroup;
  isOpen: boolean;
  onToggle: () => void;
}

export function FolderRow({ group, isOpen, onToggle }: FolderRowProps) {
  const app = useApp();
  const dialog = useSignal<"link" | "send" | "contents" | "similar" | undefined>(undefined);
  const filesId = useId();
  const { list, folder, files } = group;
  const name = shownName(list.name);
  const here = files.filter(({ file }) => file.complete).length;
  const isWhole = here === folder.files.length;
  const close = () => {
    dialog.value = undefined;
  };
  const seeContents = () => {
    dialog.value = "contents";
  };
  const actions: MenuAction[] = [
    isWhole
      ? { label: "Save all as a ZIP", icon: "save", run: () => void saveFolder(app, list) }
      : { label: "See what is in it", icon: "open", run: seeContents },
    ...linkMenu(app, list, {
      onCode: () => (dialog.value = "link"),
      onSend: () => (dialog.value = "send"),
    }),
    listingMenu(app, list),
    { label: "More like this", icon: "search", run: () => (dialog.value = "similar") },
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
      {dialog.value === "link" && <LinkDialog file={list} onClose={close} />}
      {dialog.value === "send" && <SendDialog file={list} onClose={close} />}
      {dialog.value === "contents" && <FolderDialog file={list} addresses={[]} onClose={close} />}
      {dialog.value === "similar" && <SimilarDialog file={list} onClose={close} />}
    </li>
  );
}
