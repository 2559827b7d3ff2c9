/** The place that takes files: large on an empty page, a strip above a list. Called by files-screen; calls share-files. */
import { useSignal } from "@preact/signals";
import { Button } from "../elements/button.tsx";
import { FileButton } from "../elements/file-button.tsx";
import { useApp } from "../state/app-state.ts";
import { useKept } from "../state/use-kept.ts";
import "./add-files.css";
import { Contours } from "./contours.tsx";
import { givenFiles } from "./dropped-files.ts";
import { shareFiles } from "./share-files.ts";
import { ShareText } from "./share-text.tsx";
import { UnlistedSwitch } from "./unlisted-switch.tsx";

export function AddFiles({ large }: { large: boolean }) {
  const app = useApp();
  const isWriting = useSignal(false);
  /** There again where the dialog was closed by a tap beside it. */
  const written = useKept("written", "");
  const share = (files: File[]) => shareFiles(app, givenFiles(files));
  return (
    <>
      <section class={`add-files${large ? " large" : ""}`} aria-label="Share files">
        <Contours />
        <div class="add-files-words">
          <h2>{large ? "Drop a file.\nGet a link." : "Drop or paste files and texts anywhere"}</h2>
          {large && (
            <p class="quiet">
              Whoever opens the link gets the bytes straight from this browser, checked piece by piece.
              Nothing is uploaded to a server, and there is no size limit but the room you give it.
            </p>
          )}
        </div>
        <div class="add-files-actions">
          <FileButton weight="main" icon="add" many="files" filesLabel="Files to share" onFiles={share}>
            Choose files
          </FileButton>
          <FileButton many="folder" filesLabel="Folder to share" onFiles={share}>
            Choose a folder
          </FileButton>
          <Button onClick={() => (isWriting.value = true)}>Write a text</Button>
        </div>
        <UnlistedSwitch />
      </section>
      {isWriting.value && <ShareText text={written} onClose={() => (isWriting.value = false)} />}
    </>
  );
}
