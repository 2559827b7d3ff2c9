/** How far reading files for search has come, while there is something to read. Called by finding-box and by the map. */
import { ProgressLine } from "../elements/progress-line.tsx";
import { countText, numberText } from "../elements/quantities.ts";
import "./reading-line.css";
import type { ReadingStatus } from "./reading-news.ts";

interface ReadingLineProps {
  status: ReadingStatus | undefined;
  /** Beside something else, in one line. */
  brief?: boolean;
}

export function ReadingLine({ status, brief = false }: ReadingLineProps) {
  if (status === undefined || status.pending === 0) return null;
  const { state, indexed, pending } = status;
  return (
    <div class={brief ? "reading-line brief" : "reading-line"}>
      <ProgressLine
        fraction={state === "ready" ? indexed / (indexed + pending) : undefined}
        label="Files read for search"
      />
      <span class="quiet small figures">
        {brief ? "Reading for search: " : "Reading files, so that they are found by what they are about: "}
        {brief ? numberText(pending) : countText(pending, "file")} left
      </span>
    </div>
  );
}
