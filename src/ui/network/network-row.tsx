/** One file that others offer: size, holders, and a button that gets it. Called by network-screen and offered-folder. */
import { useComputed, useSignal } from "@preact/signals";
import { folderNameOf, shownName } from "../../spelling/folder-name.ts";
import { Button } from "../elements/button.tsx";
import { FileLine } from "../elements/file-line.tsx";
import { fileSizeText } from "../elements/file-size.ts";
import { Menu } from "../elements/menu.tsx";
import { countText, percentText } from "../elements/quantities.ts";
import { FoundExcerpt } from "../finding/found-excerpt.tsx";
import { SimilarDialog } from "../finding/similar-dialog.tsx";
import { tellOfGetting } from "../get/get-each.ts";
import { fragmentOf, linkOf } from "../links.ts";
import { hrefOf } from "../router.ts";
import { useApp } from "../state/app-state.ts";
import type { NetworkFile } from "../state/entries.ts";
import { isUnfinished } from "../transfers/transfer-words.ts";
import { Holders } from "./holders.tsx";
import "./network-row.css";

interface NetworkRowProps {
  file: NetworkFile;
  /** What it is called where it stands: its path in a folder. */
  name?: string;
}

export function NetworkRow({ file, name = file.name }: NetworkRowProps) {
  const isComparing = useSignal(false);
  const folder = folderNameOf(file.name);
  const href = fragmentOf(linkOf(file));
  return (
    <li class="file-line network-row" data-thing={file.id}>
      <a class="file-line-open" href={href}>
        <FileLine name={name}>
          <FoundExcerpt file={file} />
          <Holders peers={file.peers}>{fileSizeText(file.name, file.size)}</Holders>
        </FileLine>
      </a>
      {folder === undefined ? (
        <GetButton file={file} name={name} />
      ) : (
        <a class="button" href={href} aria-label={`Open ${folder}`}>
          Open
        </a>
      )}
      <Menu
        label={`More for ${shownName(name)}`}
        actions={[{ label: "More like this", icon: "search", run: () => (isComparing.value = true) }]}
      />
      {isComparing.value && <SimilarDialog file={file} onClose={() => (isComparing.value = false)} />}
    </li>
  );
}

function GetButton({ file, name }: Required<NetworkRowProps>) {
  const app = useApp();
  const busy = useSignal(false);
  // Of a hundred rows none is drawn anew for the progress of another's file.
  const isHere = useComputed(() => app.fileById.value.get(file.id)?.complete ?? false);
  const share = useComputed(() => {
    if (!app.awaitedFiles.value.has(file.id)) return undefined;
    const transfers = app.transfersOf.value.get(file.id);
    return percentText((transfers?.find(isUnfinished) ?? transfers?.[0])?.progress ?? 0);
  });
  if (isHere.value) return <span class="network-row-state quiet small">You have it</span>;
  if (share.value !== undefined) {
    return (
      <a class="network-row-state small figures" href={hrefOf("transfers")}>
        {share.value} here, see transfer
      </a>
    );
  }
  const get = async () => {
    busy.value = true;
    try {
      const { transfer_id } = await app.client.download({ file_id: file.id });
      await Promise.all([app.transfers.refresh(), app.files.refresh()]);
      const text = { before: "Getting ", file: file.name };
      tellOfGetting(app, [transfer_id], { text, together: askedFor });
    } catch (error) {
      app.toasts.showError(error);
    } finally {
      busy.value = false;
    }
  };
  return (
    <Button icon="down" busy={busy.value} label={`Get ${name}`} onClick={() => void get()}>
      Get
    </Button>
  );
}

/** Some of them may be here by now. */
function askedFor(count: number): string {
  return `Asked for ${countText(count, "file")}`;
}
