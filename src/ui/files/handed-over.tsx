/**
 * Files that the system handed over: shared only after a person said so, since any site can send a form to a share target.
 * Called by drop-anywhere.
 */
import { Button } from "../elements/button.tsx";
import { Dialog } from "../elements/dialog.tsx";
import { FileName } from "../elements/file-name.tsx";
import { bytesText, countText } from "../elements/quantities.ts";
import type { Given } from "./dropped-files.ts";
import { ONLY_THE_FIRST } from "./share-files.ts";

/** Files named one by one; the others are a number. */
const MAX_NAMED = 8;

interface HandedOverProps {
  given: Given;
  onShare: () => void;
  onClose: () => void;
}

export function HandedOver({ given: { files, isCut }, onShare, onClose }: HandedOverProps) {
  const more = files.slice(MAX_NAMED);
  return (
    <Dialog
      title={files.length === 1 ? "Share this file?" : `Share these ${countText(files.length, "file")}?`}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Don't share</Button>
          <Button weight="main" onClick={onShare}>
            Share
          </Button>
        </>
      }
    >
      <ul>
        {files.slice(0, MAX_NAMED).map(({ file }, index) => (
          <li key={index}>
            <FileName name={file.name} /> <span class="quiet small">{bytesText(file.size)}</span>
          </li>
        ))}
        {more.length > 0 && <li class="quiet">and {countText(more.length, "more file")}</li>}
      </ul>
      {isCut && <p>{ONLY_THE_FIRST}</p>}
      <p class="quiet">
        Another program handed {files.length === 1 ? "it" : "them"} to this page. Once shared, whoever is in
        your swarm can get {files.length === 1 ? "it" : "them"}.
      </p>
    </Dialog>
  );
}
