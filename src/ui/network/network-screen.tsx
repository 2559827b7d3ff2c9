/** Network: what the swarm offers, searched as one types, got with one click; links and ids by hand. Called by the shell. */
import { useComputed, useSignal } from "@preact/signals";
import { Button } from "../elements/button.tsx";
import { EmptyState } from "../elements/empty-state.tsx";
import { bytesText, countText } from "../elements/quantities.ts";
import { ShowMore } from "../elements/show-more.tsx";
import { useLongList } from "../elements/use-long-list.tsx";
import { FindingBox } from "../finding/finding-box.tsx";
import { NothingFound } from "../finding/nothing-found.tsx";
import { useFinding } from "../finding/use-finding.ts";
import { withFolders } from "../folders/grouped.ts";
import { OrderChoice, useRowOrder } from "../folders/order-choice.tsx";
import { inOrder } from "../folders/row-order.ts";
import { toggled } from "../folders/toggled.ts";
import { GetManyDialog } from "../get/get-many-dialog.tsx";
import { MAX_FILES_TOGETHER, OFFERS_AFTER_MS } from "../limits.ts";
import { useApp } from "../state/app-state.ts";
import type { NetworkFile } from "../state/entries.ts";
import { useKept } from "../state/use-kept.ts";
import { useLong } from "../state/use-long.ts";
import { NetworkRow } from "./network-row.tsx";
import "./network-screen.css";
import { OfferedFolder } from "./offered-folder.tsx";
import { type Gettable, gettable, isGettable, offeredFiles, offeredRows } from "./offered-rows.ts";
import { OpenByHand } from "./open-by-hand.tsx";

export function NetworkScreen() {
  const { client, network, offers, wholeFiles } = useApp();
  const { list, rowCount, drawn, room, beginAnew } = useLongList();
  const order = useRowOrder("shoal-network-order");
  /** Ids of folders; those that were open are so again after a search. */
  const opened = useKept<ReadonlySet<string>>("open folders", new Set());
  /** To be got together. */
  const many = useSignal<Gettable | undefined>(undefined);
  const isKnown = useComputed(() => network.value.value !== undefined);
  const all = offers.value?.files;
  const inFolders = useComputed(() =>
    offeredRows(offers.value?.files ?? NONE, offers.value?.folders ?? new Map()),
  );
  const sorted = useComputed(() => inOrder(inFolders.value.rows, order.value));
  const finding = useFinding(all ?? NONE, (q, signal) => client.networkFiles({ q, signal }));
  // What was found stands in the order in which it fits, a file of a folder by itself.
  const rows = finding.isFinding ? withFolders(finding.files, inFolders.value) : sorted.value;
  const files = offeredFiles(all ?? NONE);
  const isEmpty = all?.length === 0;
  const isEmptyLong = useLong(isEmpty, 2 * OFFERS_AFTER_MS) && isEmpty;
  return (
    <div class="screen">
      <header class="screen-head">
        <h1>Network</h1>
        {files.length > 0 && (
          <p class="quiet figures">
            {countText(files.length, "file")}, {bytesText(files.reduce((sum, { size }) => sum + size, 0))}{" "}
            offered
          </p>
        )}
      </header>
      <OpenByHand />
      {!isKnown.value ? (
        <p class="quiet">What others share appears here as soon as the node has started.</p>
      ) : (
        (all === undefined || (isEmpty && !isEmptyLong)) && (
          <p class="quiet">What others share appears here as they tell of it.</p>
        )
      )}
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
            onInput={beginAnew}
            order={
              <OrderChoice
                order={order}
                usual="By holders"
                rowTotal={sorted.value.length}
                onChoose={beginAnew}
              />
            }
            action={
              rows.some(isGettable) && (
                <Button
                  weight="bare"
                  icon="down"
                  onClick={() => (many.value = gettable(rows, wholeFiles.value, MAX_FILES_TOGETHER))}
                >
                  Get all…
                </Button>
              )
            }
          />
          <ul ref={list} class="network-list" aria-label="Files that others offer">
            {room}
            {drawn(rows).map((row) =>
              "list" in row ? (
                <OfferedFolder
                  key={row.list.id}
                  group={row}
                  isOpen={opened.value.has(row.list.id)}
                  onToggle={() => (opened.value = toggled(opened.value, row.list.id))}
                />
              ) : (
                <NetworkRow key={row.id} file={row} />
              ),
            )}
          </ul>
          {finding.isNothing && (
            <NothingFound words={finding.words}>
              Fewer or other words may find it. Only what the peers offer that are connected now is searched;
              whoever has the file can send you a link to it.
            </NothingFound>
          )}
          <ShowMore rowCount={rowCount} total={rows.length} />
        </>
      )}
      {many.value && <GetManyDialog {...many.value} onClose={() => (many.value = undefined)} />}
    </div>
  );
}

const NONE: readonly NetworkFile[] = [];
