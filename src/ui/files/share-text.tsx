/**
 * Shares a text that is written here, or was pasted: for whoever gets it, a file that opens on the page. Called by add-files
 * and drop-anywhere; calls share-files.
 */
import type { Signal } from "@preact/signals";
import { Button } from "../elements/button.tsx";
import { Dialog } from "../elements/dialog.tsx";
import { FileName } from "../elements/file-name.tsx";
import { TextArea } from "../elements/text-area.tsx";
import { MAX_WRITTEN_CHARS } from "../limits.ts";
import { useApp } from "../state/app-state.ts";
import { givenFiles } from "./dropped-files.ts";
import { shareFiles } from "./share-files.ts";
import "./share-text.css";
import { textFile } from "./text-file.ts";
import { UnlistedSwitch } from "./unlisted-switch.tsx";

const TOO_LONG =
  "This is too long for a text that is written here. Keep it in a file, and drop that on this page.";

interface ShareTextProps {
  /** What was pasted or is written. Closed by anything but its buttons, the dialog leaves it to whoever opens it again. */
  text: Signal<string>;
  onClose: () => void;
}

export function ShareText({ text, onClose }: ShareTextProps) {
  const app = useApp();
  const isTooLong = text.value.length > MAX_WRITTEN_CHARS;
  const file = text.value.trim() === "" || isTooLong ? undefined : textFile(text.value);
  const leave = () => {
    text.value = "";
    onClose();
  };
  return (
    <form
      class="share-text"
      onSubmit={(event) => {
        event.preventDefault();
        if (file === undefined) return;
        shareFiles(app, givenFiles([file]));
        leave();
      }}
    >
      <Dialog
        title="Share a text"
        onClose={onClose}
        actions={
          <>
            <Button onClick={leave}>Don't share</Button>
            <Button type="submit" weight="main" disabled={file === undefined}>
              Share
            </Button>
          </>
        }
      >
        <TextArea
          label="Text"
          prose
          autoFocus
          rows={8}
          value={text.value}
          onInput={(value) => (text.value = value)}
          error={isTooLong ? TOO_LONG : undefined}
        />
        <p class="quiet">
          {file && (
            <>
              Its name will be <FileName name={file.name} />.
            </>
          )}
        </p>
        <UnlistedSwitch />
      </Dialog>
    </form>
  );
}
