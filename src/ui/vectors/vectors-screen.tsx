/** Vectors: the index behind this node, to look at, search, fill, ask and back up. Called by the shell. */
import { useComputed, useSignalEffect } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { Advice } from "../elements/advice.tsx";
import { Button } from "../elements/button.tsx";
import { EmptyState } from "../elements/empty-state.tsx";
import { useApp } from "../state/app-state.ts";
import { poll } from "../state/poll.ts";
import { AddVectors } from "./add-vectors.tsx";
import { Backups } from "./backups.tsx";
import { EmptyIndex } from "./empty-index.tsx";
import { failureText } from "./failure-text.ts";
import { IndexFigures } from "./index-figures.tsx";
import { METRICS_INTERVAL_MS } from "./limits.ts";
import { PicturePanel } from "./picture-panel.tsx";
import { ReductionPanel } from "./reduction-panel.tsx";
import { SearchPanel } from "./search-panel.tsx";
import { SqlBox } from "./sql-box.tsx";
import { createVectorsState, type VectorsState } from "./vectors-state.ts";
import "./vectors-screen.css";

export function VectorsScreen() {
  const app = useApp();
  const stop = useMemo(() => new AbortController(), []);
  const state = useMemo(() => createVectorsState(app.vx, stop.signal), [app, stop]);
  const isRunning = useComputed(() => app.phase.value.phase === "running");
  useEffect(() => {
    poll(state.look, METRICS_INTERVAL_MS, () => isRunning.peek(), stop.signal);
    return () => stop.abort();
  }, [state, stop, isRunning]);
  useSignalEffect(() => {
    if (isRunning.value) void state.redraw();
  });

  const metrics = state.metrics.value.value;
  // An index that isn't open has figures too: those of an empty one.
  const isUnreadable = metrics?.vector_count === 0 && state.picture.value.state === "failed";
  return (
    <div class="screen vectors-screen">
      <header class="screen-head">
        <h1>Vectors</h1>
        <p class="quiet">Finds what is alike: nearest neighbours of vectors, filtered by their metadata.</p>
      </header>
      {/* It stands there before it has words: one that comes with them is not read by all. */}
      <p class="vectors-away" role="status">
        {state.away.value !== undefined && <Away reason={state.away.value} />}
      </p>
      {metrics === undefined || isUnreadable ? (
        <NoFigures state={state} />
      ) : (
        <>
          <IndexFigures metrics={metrics} tookMs={state.tookMs.value} />
          {metrics.failures.map((failure) => (
            <Advice key={failure.task}>{failureText(failure)}</Advice>
          ))}
          <ReductionPanel state={state} metrics={metrics} />
          {metrics.vector_count === 0 ? (
            <EmptyIndex state={state} />
          ) : (
            <div class="vectors-finding">
              <PicturePanel state={state} />
              <SearchPanel state={state} />
            </div>
          )}
          <AddVectors state={state} />
          {metrics.vector_count > 0 && <SqlBox state={state} />}
          <Backups state={state} />
        </>
      )}
    </div>
  );
}

function Away({ reason }: { reason: string }) {
  return (
    <>
      <strong>The index does not answer.</strong> {reason} It is asked again every few seconds; what you see
      may be a little old.
    </>
  );
}

function NoFigures({ state }: { state: VectorsState }) {
  const picture = state.picture.value;
  if (picture.state !== "failed")
    return <p class="quiet">The index appears here as soon as the node has started.</p>;
  return (
    <EmptyState
      title="The index can't be opened"
      actions={<Button onClick={() => void state.redraw()}>Try again</Button>}
    >
      {picture.message}
    </EmptyState>
  );
}
