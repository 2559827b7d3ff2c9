/** Network: what the swarm offers, searched as one types, got with one click; links and ids by hand. Called by the shell. */
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { Button } from "../elements/button.tsx";
import { byName } from "../elements/by-name.ts";
import { EmptyState } from "../elements/empty-state.tsx";
import { bytesText, countText } from "../elements/quantities.ts";
import { ShowMore } from "../elements/show-more.tsx";
import { FindingBox } from "../finding/finding-box.tsx";
import { NothingFound } from "../finding/nothing-found.tsx";
import { useFinding } from "../finding/use-finding.ts";
import { GetManyDialog } from "../get/get-many-dialog.tsx";
import { MAX_FILES_A_GET, OFFERS_AFTER_MS, ROWS_A_PAGE } from "../limits.ts";
import type { FileLink } from "../links.ts";
import { useApp } from "../state/app-state.ts";
import type { NetworkFile } from "../state/entries.ts";
import { useLong } from "../state/use-long.ts";
import { NetworkRow } from "./network-row.tsx";
import "./network-screen.css";
import { OpenByHand } from "./open-by-hand.tsx";

export function NetworkScreen() {
  const { client, network } = useApp();
  const rowCount = useSignal(ROWS_A_PAGE);
  /** To be got together. */
  const many = useSignal<readonly NetworkFile[]>([]);
  const all = network.value.value;
  const finding = useFinding(
    useMemo(() => bestHeldFirst(all ?? []), [all]),
    (q, signal) => client.networkFiles({ q, signal }),
  );
  const found = finding.files;
  const isEmpty = all?.length === 0;
  const isEmptyLong = useLong(isEmpty, 2 * OFFERS_AFTER_MS) && isEmpty;
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
      {isEmpty && !isEmptyLong && <p class="quiet">What others share appears here as they tell of it.</p>}
      {isEmptyLong && (
        <EmptyState title="Nobody offers a file yet">
          <p>
            Files of the peers you are connected to are listed here as they announce them. Send somebody a
            link to one of yours, or connect to a peer, and this fills by itself.
          </p>
        </EmptyState>
      )}
      {all !== undefined && all.length > 0 && (
        <>
          <FindingBox
            label="Search the network"
            finding={finding}
            onInput={() => (rowCount.value = ROWS_A_PAGE)}
            action={
              <Button
                weight="bare"
                icon="down"
                onClick={() => (many.value = found.slice(0, MAX_FILES_A_GET))}
              >
                Get all…
              </Button>
            }
          />
          <ul class="network-list" aria-label="Files that others offer">
            {found.slice(0, rowCount.value).map((file) => (
              <NetworkRow key={file.id} file={file} />
            ))}
          </ul>
          {finding.isNothing && (
            <NothingFound words={finding.words}>
              Fewer or other words may find it. Only what the peers offer that are connected now is searched;
              whoever has the file can send you a link to it.
            </NothingFound>
          )}
          <ShowMore rowCount={rowCount} total={found.length} />
        </>
      )}
      {many.value.length > 0 && (
        <GetManyDialog files={many.value.map(linkOf)} onClose={() => (many.value = [])} />
      )}
    </div>
  );
}

/** The swarm knows who has it. */
function linkOf({ id, name, size }: NetworkFile): FileLink {
  return { fileId: id, name, sizeBytes: size, addresses: [] };
}

function bestHeldFirst(files: readonly NetworkFile[]): NetworkFile[] {
  return [...files].sort((a, b) => b.peers.length - a.peers.length || byName(a, b) || (a.id < b.id ? -1 : 1));
}
