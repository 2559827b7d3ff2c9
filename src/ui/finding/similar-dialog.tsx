/** Files that are like one, here and with others. Called by the rows of files and of the network. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { ShoalClient } from "../../client/client.ts";
import { Dialog } from "../elements/dialog.tsx";
import { FileLine } from "../elements/file-line.tsx";
import { FileName } from "../elements/file-name.tsx";
import { bytesText, countText } from "../elements/quantities.ts";
import { MAX_SIMILAR_ROWS } from "../limits.ts";
import { fragmentOf } from "../links.ts";
import { useApp } from "../state/app-state.ts";
import { FoundExcerpt } from "./found-excerpt.tsx";

type Similar = Awaited<ReturnType<ShoalClient["similarFiles"]>>["files"][number];

interface SimilarDialogProps {
  file: { id: string; name: string };
  onClose: () => void;
}

export function SimilarDialog({ file, onClose }: SimilarDialogProps) {
  const { client } = useApp();
  const found = useSignal<readonly Similar[] | undefined>(undefined);
  const failure = useSignal<string | undefined>(undefined);
  useEffect(() => {
    const stop = new AbortController();
    client.similarFiles(file.id, { limit: MAX_SIMILAR_ROWS, signal: stop.signal }).then(
      ({ files }) => (found.value = files),
      (error) => {
        if (!stop.signal.aborted) failure.value = error instanceof Error ? error.message : String(error);
      },
    );
    return () => stop.abort();
  }, [client, file.id]);
  return (
    <Dialog
      title={
        <>
          Like <FileName name={file.name} />
        </>
      }
      onClose={onClose}
    >
      {failure.value !== undefined && (
        <p role="alert">Similar files can't be looked for now: {failure.value}. Close this and try again.</p>
      )}
      {found.value === undefined && failure.value === undefined && <p class="quiet">Looking…</p>}
      {found.value?.length === 0 && (
        <p class="quiet">
          No other file here or on the network is like this one. Files that were just added have to be read
          first.
        </p>
      )}
      <ul aria-label={`Files like ${file.name}`}>
        {found.value?.map((similar) => (
          <li class="file-line" key={similar.id}>
            <a class="file-line-open" href={linkOf(similar)} onClick={onClose}>
              <FileLine name={similar.name}>
                <FoundExcerpt file={similar} />
                <span class="quiet small figures">
                  {bytesText(similar.size)} ·{" "}
                  {similar.local ? "here" : countText(similar.peers.length, "holder")}
                </span>
              </FileLine>
            </a>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

function linkOf({ id, name, size }: Similar): string {
  return fragmentOf({ fileId: id, name, sizeBytes: size, addresses: [] });
}
