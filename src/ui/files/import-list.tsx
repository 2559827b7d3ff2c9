/** Files on their way into the node, with progress, speed and time left. Called by files-screen; calls state/imports. */
import { Button } from "../elements/button.tsx";
import { FileName } from "../elements/file-name.tsx";
import { FileStamp } from "../elements/file-stamp.tsx";
import { ProgressLine } from "../elements/progress-line.tsx";
import { bytesText, countText, speedText, timeLeftText } from "../elements/quantities.ts";
import { useApp } from "../state/app-state.ts";
import type { Import } from "../state/imports.ts";
import "./import-list.css";

/** Waiting files named one by one; the others are a number. */
const SHOWN_WAITING = 3;

export function ImportList() {
  const { imports } = useApp();
  const list = imports.list.value;
  if (list.length === 0) return null;
  const waiting = list.filter(({ state }) => state === "waiting");
  const more = waiting.slice(SHOWN_WAITING);
  const shown = list.filter((entry) => !more.includes(entry));
  return (
    <section class="import-list" aria-label="Being shared">
      <ul>
        {shown.map((entry) => (
          <ImportRow key={entry.id} entry={entry} />
        ))}
      </ul>
      {more.length > 0 && (
        <p class="import-list-more quiet">
          and {countText(more.length, "more file")},{" "}
          {bytesText(more.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0))}
          <Button weight="bare" onClick={() => imports.cancelWaiting()}>
            Stop after this one
          </Button>
        </p>
      )}
    </section>
  );
}

function ImportRow({ entry }: { entry: Import }) {
  const { imports } = useApp();
  return (
    <li>
      <FileStamp name={entry.name} />
      <div class="import-list-what">
        <FileName name={entry.name} />
        {entry.state === "running" && (
          <ProgressLine
            fraction={entry.sentBytes === undefined ? undefined : entry.sentBytes / entry.sizeBytes}
            label={`Reading ${entry.name}`}
          />
        )}
        <p class={`small figures ${entry.state === "failed" ? "import-list-error" : "quiet"}`}>
          {told(entry)}
        </p>
      </div>
      {entry.state === "failed" && (
        <Button icon="retry" onClick={() => imports.retry(entry.id)}>
          Try again
        </Button>
      )}
      <Button weight="bare" icon="close" iconOnly onClick={() => imports.cancel(entry.id)}>
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
