/**
 * Shows a file on the page: picture, video, sound or text. Media read a ticket's path, so that they stream while the file
 * is still downloading. Called by opened-file; calls file-actions.
 */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Button } from "../elements/button.tsx";
import { Dialog } from "../elements/dialog.tsx";
import { type FileKind, fileKind } from "../elements/file-kind.ts";
import { FileName } from "../elements/file-name.tsx";
import { FETCHING_AFTER_MS } from "../limits.ts";
import { type AppState, useApp } from "../state/app-state.ts";
import { copyText } from "../state/copy-text.ts";
import { messageOf } from "../state/toasts.ts";
import { useLong } from "../state/use-long.ts";
import { type NamedFile, saveFile, streamUrl } from "./file-actions.ts";
import "./preview-dialog.css";
import { type Beginning, beginningOf, TextBeginning } from "./text-beginning.tsx";

type Shown = { url: string } | Beginning | { error: string };

const NOT_SHOWN = "The browser can't show this file. Save it, and open it with another program.";
const NOT_SHOWN_YET =
  "The browser can't show what has come of this file so far. Open it again when all of it is here, or save it then, and open it with another program.";
const NO_TEXT =
  "This is no text, whatever its name says. Save it, and open it with the program that it was made with.";
const NO_MORE = "No more of this file came. See whether its download goes on, then open it again.";

export function PreviewDialog({ file, onClose }: { file: NamedFile; onClose: () => void }) {
  const app = useApp();
  const shown = useSignal<Shown | undefined>(undefined);
  /** The first picture or sound is there. */
  const isBegun = useSignal(false);
  /** For what is to be shown now: a picture, the beginning of a film, or the place in it that was sought. */
  const isWaiting = useSignal(true);
  const isWaitingLong = useLong(isWaiting.value, FETCHING_AFTER_MS);
  const kind = fileKind(file.name);
  const isEmpty = file.size === 0;

  useEffect(() => {
    if (isEmpty) return;
    const stop = new AbortController();
    const loading =
      kind === "text"
        ? beginningOf(app, file, stop.signal).then((beginning) => beginning ?? { error: NO_TEXT })
        : streamUrl(app, file.id).then((url) => ({ url }));
    loading.then(
      (loaded) => {
        shown.value = loaded;
      },
      (error: unknown) => {
        if (!stop.signal.aborted) shown.value = { error: messageOf(error) };
      },
    );
    return () => stop.abort();
  }, [app, file.id, isEmpty, kind, shown]);

  const wait = () => {
    isWaiting.value = true;
  };
  const goOn = () => {
    isBegun.value = true;
    isWaiting.value = false;
  };
  /** To an element, bytes that are refused since nobody brings them now are of a wrong kind, so the node is asked. */
  const fail = async (reason?: MediaError | null) => {
    const isCut = reason?.code === MediaError.MEDIA_ERR_NETWORK;
    shown.value = { error: isCut ? NO_MORE : await whyNotShown(app, file.id) };
  };
  const failPlaying = ({ currentTarget: { error } }: { currentTarget: HTMLMediaElement }) => void fail(error);
  const now = shown.value;
  const Player = kind === "video" ? "video" : "audio";
  return (
    <Dialog
      title={<FileName name={file.name} />}
      onClose={onClose}
      wide
      actions={
        <>
          {now && "text" in now && !now.isCut && (
            <Button icon="copy" onClick={() => void copyText(app.toasts, now.text, "Text copied.")}>
              Copy text
            </Button>
          )}
          <Button icon="save" onClick={() => void saveFile(app, file)}>
            Save to disk
          </Button>
        </>
      }
    >
      <div class={`preview ${kind}`}>
        {isEmpty && <p class="quiet">This file is empty.</p>}
        {now === undefined && !isEmpty && <p class="quiet">Fetching the beginning…</p>}
        {now && "error" in now && <p role="alert">{now.error}</p>}
        {now && "text" in now && <TextBeginning {...now} />}
        {now && "url" in now && kind === "picture" && (
          <img src={now.url} alt={file.name} onLoad={goOn} onError={() => void fail()} />
        )}
        {now && "url" in now && kind !== "picture" && (
          <Player
            src={now.url}
            controls
            autoplay
            onSeeking={wait}
            onWaiting={wait}
            onLoadedData={goOn}
            onSeeked={goOn}
            onCanPlay={goOn}
            onPlaying={goOn}
            onError={failPlaying}
            aria-label={file.name}
          />
        )}
        {now && "url" in now && (
          <p class="preview-wait quiet" role="status">
            {isWaitingLong && waitText(kind, isBegun.value)}
          </p>
        )}
      </div>
    </Dialog>
  );
}

function waitText(kind: FileKind, isBegun: boolean): string {
  if (kind === "picture") return "Fetching the picture…";
  return isBegun ? "Fetching this place…" : "Fetching the beginning…";
}

async function whyNotShown({ client, transfers }: AppState, fileId: string): Promise<string> {
  // False also for a file that is gone.
  const isComplete = await client.file(fileId).then(
    ({ complete }) => complete,
    () => false,
  );
  if (isComplete) return NOT_SHOWN;
  const isComing = transfers.value.value?.some(({ file_id, speed }) => file_id === fileId && speed > 0);
  return isComing ? NOT_SHOWN_YET : NO_MORE;
}
