/** What stands in place of a list of files that nothing was found among: the next step. Called by files and network. */
import type { Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { Button } from "../elements/button.tsx";
import { EmptyState } from "../elements/empty-state.tsx";

export function NothingFound({ words, children }: { words: Signal<string>; children: ComponentChildren }) {
  return (
    <EmptyState
      title="No file fits these words"
      actions={<Button onClick={() => (words.value = "")}>Show all files</Button>}
    >
      <p>{children}</p>
    </EmptyState>
  );
}
