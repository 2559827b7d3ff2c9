/** A screen whose code is loaded when it is first opened; the wait and its failure are said. Called by screens. */
import type { ComponentType } from "preact";
import { Button } from "../elements/button.tsx";
import { EmptyState } from "../elements/empty-state.tsx";
import { lazy } from "../elements/lazy.tsx";

export function lazyScreen(load: () => Promise<ComponentType>): ComponentType {
  return lazy(load, { Waiting: WaitingScreen, Failed: FailedScreen });
}

function WaitingScreen() {
  return <p class="quiet">Loading this screen…</p>;
}

function FailedScreen({ retry }: { retry: () => void }) {
  return (
    <EmptyState title="This screen did not load" actions={<Button onClick={retry}>Try again</Button>}>
      <p>Its code could not be fetched. Are you offline, or was a new version put up just now?</p>
    </EmptyState>
  );
}
