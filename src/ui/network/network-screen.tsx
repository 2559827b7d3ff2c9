/** Network: what the swarm offers, searched as one types, got with one click; links and ids by hand. Called by the shell. */
import { useComputed, useSignal } from "@preact/signals";
import { Button } from "../elements/button.tsx";
import { EmptyState } from "../elements/empty-state.tsx";
import { Field } from "../elements/field.tsx";
import { bytesText, countText } from "../elements/quantities.ts";
import { ROWS_A_PAGE } from "../limits.ts";
import { useApp } from "../state/app-state.ts";
import { matching } from "./matching.ts";
import { NetworkRow } from "./network-row.tsx";
import "./network-screen.css";
import { OpenByHand } from "./open-by-hand.tsx";

export function NetworkScreen() {
  const { network } = useApp();
  const words = useSignal("");
  const rowCount = useSignal(ROWS_A_PAGE);
  const found = useComputed(() => matching(network.value.value ?? [], words.value));
  const all = network.value.value;
  return (
    <div class="screen">
      <header class="screen-head">
        <h1>Network</h1>
        {all !== undefined && all.length > 0 && (
          <p class="quiet figures">
            {countText(all.length, "file")}, {bytesText(all.reduce((sum, { size }) => sum + size, 0))} offered
          </p>
        )}
      </header>
      <OpenByHand />
      {all === undefined && (
        <p class="quiet">What others share appears here as soon as the node has started.</p>
      )}
      {all?.length === 0 && (
        <EmptyState title="Nobody offers a file yet">
          <p>
            Files of the peers you are connected to are listed here as they announce them. Send somebody a
            link to one of yours, or connect to a peer, and this fills by itself.
          </p>
        </EmptyState>
      )}
      {all !== undefined && all.length > 0 && (
        <>
          <div class="network-search">
            <Field
              label="Search by name"
              labelUnseen
              search
              placeholder="Search by name"
              value={words.value}
              onInput={(text) => {
                words.value = text;
                rowCount.value = ROWS_A_PAGE;
              }}
            />
            <p class="quiet small" role="status">
              {words.value.trim() !== "" && `${countText(found.value.length, "match", "matches")}`}
            </p>
          </div>
          <ul class="network-list" aria-label="Files that others offer">
            {found.value.slice(0, rowCount.value).map((file) => (
              <NetworkRow key={file.id} file={file} />
            ))}
          </ul>
          {found.value.length === 0 && (
            <p class="quiet">
              No name has all of these words. Search looks at names only, not inside of files.
            </p>
          )}
          {found.value.length > rowCount.value && (
            <Button onClick={() => (rowCount.value += ROWS_A_PAGE)}>Show more</Button>
          )}
        </>
      )}
    </div>
  );
}
