/**
 * Files on their way into the node, as rows of the list that they end up in: with progress, speed and time left. The one that
 * is read stands lowest, where its row as a file will be, so that nothing moves when it is done. Called by files-screen; calls
 * state/imports.
 */
import { Button } from "../elements/button.tsx";
import { FileLine } from "../elements/file-line.tsx";
import { MakeRoom } from "../elements/make-room.tsx";
import { ProgressLine } from "../elements/progress-line.tsx";
import { bytesText, countText, speedText, timeLeftText } from "../elements/quantities.ts";
import { type AppState, useApp } from "../state/app-state.ts";
import type { Import, Shared } from "../state/imports.ts";
import "./import-rows.css";

/** Waiting files named one by one, and those that failed; the others are a number. */
const SHOWN_WAITING = 3;
const SHOWN_FAILED = 8;

export function ImportRows() {
  const app = useApp();
  const { imports } = app;
  const list = imports.list.value;
  const more = list.filter(({ state }) => state === "waiting").slice(SHOWN_WAITING);
  const failed = list.filter(({ state }) => state === "failed");
  const unshown = new Set([...more, ...failed.slice(SHOWN_FAILED)]);
  const shown = list.filter((entry) => !unshown.has(entry)).reverse();
  return (
    <>
      {more.length > 0 && (
        <li class="file-line import-rows-more quiet">
          and {countText(more.length, "more file")},{" "}
          {bytesText(more.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0))}
          <Button weight="bare" onClick={() => imports.cancelWaiting()}>
            Stop after this one
          </Button>
        </li>
      )}
      {failed.length > 1 && (
        <li class="file-line import-rows-more">
          {countText(failed.length, "file")} could not be shared
          <span class="import-rows-actions">
            <Button icon="retry" onClick={() => imports.retryFailed()}>
              Try all again
            </Button>
            <Button weight="bare" isFinal onClick={() => imports.leaveFailed()}>
              Leave all out
            </Button>
          </span>
        </li>
      )}
      {shown.map((entry) => (
        <ImportRow key={entry.id} entry={entry} />
      ))}
      {arriving(app).map(({ fileId, name, sizeBytes }) => (
        <li key={fileId} class="file-line import-row">
          <div class="file-line-closed">
            <FileLine name={name}>
              <span class="quiet small figures">{bytesText(sizeBytes)}</span>
            </FileLine>
          </div>
        </li>
      ))}
    </>
  );
}

/** Shared a moment ago, and not yet in the list that the node told, where equal files are one. */
function arriving({ imports, listing, deletions }: AppState): readonly Shared[] {
  const told = new Set(listing.value?.files.map(({ id }) => id));
  const shared = new Map(imports.shared.value.map((entry) => [entry.fileId, entry]));
  return [...shared.values()].filter(
    ({ fileId }) => !told.has(fileId) && !deletions.hidden.value.has(fileId),
  );
}

function ImportRow({ entry }: { entry: Import }) {
  const { imports } = useApp();
  const hasFailed = entry.state === "failed";
  return (
    <li class="file-line import-row">
      <div class="file-line-closed">
        <FileLine name={entry.name}>
          <span class={`small figures ${hasFailed ? "import-row-error" : "import-row-told quiet"}`}>
            {told(entry)}
          </span>
          {entry.isRoomMissing && <MakeRoom besideFiles />}
        </FileLine>
      </div>
      {entry.state === "running" && (
        <ProgressLine
          fraction={entry.sentBytes === undefined ? undefined : entry.sentBytes / entry.sizeBytes}
          label={`Reading ${entry.name}`}
        />
      )}
      {hasFailed && (
        <Button icon="retry" label={`Try again ${entry.name}`} onClick={() => imports.retry(entry.id)}>
          Try again
        </Button>
      )}
      <Button weight="bare" icon="close" iconOnly isFinal onClick={() => imports.cancel(entry.id)}>
        {`Leave ${entry.name} out`}
      </Button>
    </li>
  );
}

function told({ state, error, sizeBytes, sentBytes, startedMs }: Import): string {
  if (state === "failed") return error ?? "It could not be read.";
  if (state === "waiting") return `Waiting its turn · ${bytesText(sizeBytes)}`;
  if (startedMs === undefined) return `Waiting for the node to start · ${bytesText(sizeBytes)}`;
  if (sentBytes === undefined) return `Reading and checking ${bytesText(sizeBytes)}`;
  const speed = sentBytes / Math.max(0.1, (performance.now() - startedMs) / 1000);
  const parts = [
    `${bytesText(sentBytes)} of ${bytesText(sizeBytes)}`,
    speedText(speed),
    timeLeftText(sizeBytes - sentBytes, speed),
  ];
  return parts.filter((part) => part !== undefined).join(" · ");
}
