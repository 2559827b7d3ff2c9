/** The place that takes files: large on an empty page, a strip above a list. Called by files-screen; calls drop-anywhere. */
import { useRef } from "preact/hooks";
import { Button } from "../elements/button.tsx";
import { useApp } from "../state/app-state.ts";
import "./add-files.css";
import { Contours } from "./contours.tsx";
import { shareFiles } from "./drop-anywhere.tsx";

export function AddFiles({ large }: { large: boolean }) {
  const app = useApp();
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const take = (event: { currentTarget: HTMLInputElement }) => {
    const picked = [...(event.currentTarget.files ?? [])];
    event.currentTarget.value = "";
    if (picked.length > 0) shareFiles(app, picked);
  };
  return (
    <section class={`add-files${large ? " large" : ""}`} aria-label="Share files">
      <Contours />
      <div class="add-files-words">
        <h2>{large ? "Drop a file.\nGet a link." : "Drop or paste files anywhere"}</h2>
        {large && (
          <p class="quiet">
            Whoever opens the link gets the bytes straight from this browser, checked piece by piece. Nothing
            is uploaded to a server, and there is no size limit but your disk.
          </p>
        )}
      </div>
      <div class="add-files-actions">
        <Button weight="main" icon="add" onClick={() => files.current?.click()}>
          Choose files
        </Button>
        <Button onClick={() => folder.current?.click()}>Choose a folder</Button>
      </div>
      <input ref={files} type="file" multiple hidden onChange={take} aria-label="Files to share" />
      <input
        ref={(element) => {
          folder.current = element;
          // Known to all engines, and missing in the types of Preact.
          element?.setAttribute("webkitdirectory", "");
        }}
        type="file"
        hidden
        onChange={take}
        aria-label="Folder to share"
      />
    </section>
  );
}
