/**
 * What stands in place of the map while there is nothing to draw: what it would show, and what is missing. Called by
 * map-screen.
 */
import { Button } from "../elements/button.tsx";
import { EmptyState } from "../elements/empty-state.tsx";
import type { ReadingStatus } from "../finding/reading-news.ts";
import { hrefOf, hrefOfSetting } from "../router.ts";

interface NoMapProps {
  /** Undefined until the node has told. */
  status: (ReadingStatus & { problem: string | null }) | undefined;
  /** Why the last drawing failed. */
  failure: string | undefined;
  onRetry: () => void;
}

export function NoMap({ status, failure, onRetry }: NoMapProps) {
  if (status === undefined) {
    return <p class="quiet">The map appears here as soon as the node has started.</p>;
  }
  if (status.state === "off") {
    return (
      <EmptyState
        title="Search by meaning is switched off"
        actions={
          <a class="button plain" href={hrefOfSetting("search")}>
            To the settings
          </a>
        }
      >
        <p>A map needs files that were read. With search by meaning switched on, this node reads them.</p>
      </EmptyState>
    );
  }
  if (status.state === "failed") {
    return (
      <EmptyState title="The files can't be read just now">
        <p role="alert">{status.problem}</p>
        <p>It is tried again by itself. Files are found by their names meanwhile.</p>
      </EmptyState>
    );
  }
  if (status.state === "loading") {
    return <p class="quiet">What reads the files is being loaded, which takes a moment the first time…</p>;
  }
  if (failure !== undefined) {
    return (
      <EmptyState
        title="The map could not be drawn"
        actions={
          <Button icon="retry" onClick={onRetry}>
            Try again
          </Button>
        }
      >
        <p role="alert">{failure}</p>
      </EmptyState>
    );
  }
  if (status.indexed > 0 || status.pending > 0) return <p class="quiet">Drawing the files…</p>;
  return (
    <EmptyState
      title="No files to map yet"
      actions={
        <a class="button plain" href={hrefOf("files")}>
          Add files
        </a>
      }
    >
      <p>
        Every file that you share or that others offer has a point here, and files about the same lie near
        each other: recipes by recipes, invoices by invoices, whatever they are called. The files are read on
        this device; nobody else is asked.
      </p>
    </EmptyState>
  );
}
