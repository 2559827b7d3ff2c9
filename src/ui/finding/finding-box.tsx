/** The field that one searches with, how much was found, and how far reading has come. Called by files and network. */
import type { ComponentChildren } from "preact";
import { Field } from "../elements/field.tsx";
import { countText } from "../elements/quantities.ts";
import { ASKING_LONG_MS, SEARCH_STATUS_INTERVAL_MS } from "../limits.ts";
import { hrefOf } from "../router.ts";
import { useApp } from "../state/app-state.ts";
import { usePolled } from "../state/poll.ts";
import { useLong } from "../state/use-long.ts";
import "./finding-box.css";
import type { FindableFile } from "./matching.ts";
import { ReadingLine } from "./reading-line.tsx";
import type { Finding } from "./use-finding.ts";
import { useNews } from "./use-news.ts";

interface FindingBoxProps<F> {
  label: string;
  finding: Finding<F>;
  /** What was typed is new. */
  onInput: () => void;
  /** The choice of an order, until something is looked for: what is found stands in its own. */
  order: ComponentChildren;
  /** What can be done with all that was found, where that is more than one. */
  action?: ComponentChildren;
}

export function FindingBox<F extends FindableFile>({
  label,
  finding,
  onInput,
  order,
  action,
}: FindingBoxProps<F>) {
  const app = useApp();
  const isRunning = app.phase.value.phase === "running";
  const count = finding.files.length;
  const status = usePolled(() => app.client.searchStatus(), SEARCH_STATUS_INTERVAL_MS, "search", isRunning);
  useNews(status.value, count === 0, finding.askAgain);
  const isByNameAlone = status.value?.state === "off";
  const isAskingLong = useLong(finding.isAsking, ASKING_LONG_MS);
  return (
    <div class="finding-box">
      <Field
        label={label}
        labelUnseen
        search
        placeholder={isByNameAlone ? "Search by name" : "Search by name or by what it is about"}
        value={finding.words.value}
        onInput={(text) => {
          finding.words.value = text;
          onInput();
        }}
      />
      {/* In one line, for reading comes and goes by itself, and nothing below may jump. */}
      <div class="finding-box-state">
        <p class="quiet small" role="status">
          {finding.isFinding &&
            (count > 0 ? countText(count, "match", "matches") : noneText(finding.isAsking, isAskingLong))}
          {count > 0 && finding.rankedBy === "meaning" && !isAnyNamed(finding.files) && ", none by name"}
          {finding.isFinding &&
            !finding.isAsking &&
            finding.rankedBy === "name" &&
            namesOnly(status.value?.state)}
        </p>
        {finding.isFinding && count > 1 && action}
        {!finding.isFinding && order}
        {!finding.isFinding && (
          <a class="small" href={hrefOf("map")}>
            See them on a map
          </a>
        )}
        <ReadingLine status={status.value} brief />
      </div>
      {finding.failure !== undefined && (
        <p class="finding-box-failure small" role="alert">
          Only names were compared, for the node could not search. {finding.failure}
        </p>
      )}
    </div>
  );
}

/** What was found by its name, by the node or on this page. */
function isAnyNamed(files: readonly FindableFile[]): boolean {
  return files.some(({ why }) => why === undefined || why.includes("name"));
}

/** Names are compared at once; what the node does for long is to make search by meaning ready, after its start. */
function noneText(isAsking: boolean, isAskingLong: boolean): string {
  if (isAskingLong) return "None by name, still looking…";
  return isAsking ? "Searching…" : "Nothing found";
}

function namesOnly(state: string | undefined): string {
  if (state === "off") return ", by name: search by meaning is switched off";
  return state === "failed" ? ", by name: search by meaning is out of order" : ", by name so far";
}
