/** Files: what this node has and shares, and where to put more. Called by the shell. */
import { useComputed } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { bytesText, countText } from "../elements/quantities.ts";
import { ShowMore } from "../elements/show-more.tsx";
import { useLongList } from "../elements/use-long-list.tsx";
import { FindingBox } from "../finding/finding-box.tsx";
import { NothingFound } from "../finding/nothing-found.tsx";
import { useFinding } from "../finding/use-finding.ts";
import { FolderRow } from "../folders/folder-row.tsx";
import { grouped, withFolders } from "../folders/grouped.ts";
import { OrderChoice, useRowOrder } from "../folders/order-choice.tsx";
import { inOrder } from "../folders/row-order.ts";
import { toggled } from "../folders/toggled.ts";
import { remember, remembered } from "../remembered.ts";
import { hrefOf } from "../router.ts";
import { useApp } from "../state/app-state.ts";
import { useKept } from "../state/use-kept.ts";
import { AddFiles } from "./add-files.tsx";
import { FileRow } from "./file-row.tsx";
import "./files-screen.css";
import { ImportRows } from "./import-rows.tsx";
import { SharedCard } from "./shared-card.tsx";

export function FilesScreen() {
  const { client, listing, deletions, imports } = useApp();
  const { list, rowCount, drawn, room, beginAnew } = useLongList();
  const order = useRowOrder("shoal-files-order");
  /** Ids of folders; those that were open are so again after a search. */
  const opened = useKept<ReadonlySet<string>>("open folders", new Set());
  const all = listing.value?.files;
  const shownFiles = useComputed(() =>
    (listing.value?.files ?? []).filter(({ id }) => !deletions.hidden.value.has(id)),
  );
  const inFolders = useComputed(() => grouped(shownFiles.value, listing.value?.folders ?? new Map()));
  const sorted = useComputed(() => inOrder(inFolders.value.rows, order.value));
  const shown = shownFiles.value;
  const { files: own } = inFolders.value;
  const finding = useFinding(shown, (q, signal) => client.files({ q, signal }));
  // What was found stands in the order in which it fits, a file of a folder by itself.
  const rows = finding.isFinding ? withFolders(finding.files, inFolders.value) : sorted.value;
  // Before the list is here, what it was last time decides, so that nothing jumps.
  const isEmpty = all === undefined ? !hadFiles() : shown.length === 0;
  const hasImports = useComputed(() => imports.list.value.length > 0);
  const isSharing = useComputed(() => hasImports.value || imports.shared.value.length > 0);
  const isFirstUse = isEmpty && !hasImports.value;
  useEffect(() => {
    if (all !== undefined) rememberFiles(all.length > 0);
  }, [all]);
  return (
    <div class="files-screen">
      <header class="screen-head">
        <h1>Files</h1>
        {own.length > 0 && (
          <p class="quiet figures">
            {countText(own.length, "file")}, {bytesText(own.reduce((sum, { size }) => sum + size, 0))}
          </p>
        )}
      </header>
      <AddFiles large={isFirstUse} />
      {isFirstUse && <HowItWorks />}
      <SharedCard />
      {all === undefined && !isFirstUse && (
        <p class="quiet">Your files appear here as soon as the node has started.</p>
      )}
      {(shown.length > 0 || (isSharing.value && !isFirstUse)) && (
        <>
          <FindingBox
            label="Search your files"
            finding={finding}
            onInput={beginAnew}
            order={
              <OrderChoice order={order} usual="Newest" rowTotal={sorted.value.length} onChoose={beginAnew} />
            }
          />
          <ul ref={list} class="files-screen-list" aria-label="Your files">
            <ImportRows />
            {room}
            {drawn(rows).map((row) =>
              "list" in row ? (
                <FolderRow
                  key={row.list.id}
                  group={row}
                  isOpen={opened.value.has(row.list.id)}
                  onToggle={() => (opened.value = toggled(opened.value, row.list.id))}
                />
              ) : (
                <FileRow key={row.id} file={row} />
              ),
            )}
          </ul>
          {finding.isNothing && (
            <NothingFound words={finding.words}>
              Fewer or other words may find it, or a part of its name. What others share is searched on the
              screen <a href={hrefOf("network")}>Network</a>.
            </NothingFound>
          )}
        </>
      )}
      <ShowMore rowCount={rowCount} total={rows.length} />
    </div>
  );
}

const HAD_FILES_KEY = "shoal-had-files";

function hadFiles(): boolean {
  return remembered(HAD_FILES_KEY) !== undefined;
}

function rememberFiles(isAny: boolean): void {
  remember(HAD_FILES_KEY, isAny ? "yes" : undefined);
}

function HowItWorks() {
  return (
    <ol class="how-it-works">
      <li>
        <h3>You keep the file</h3>
        <p class="quiet">
          It stays in this browser. Closing the page stops the sharing, and opening it again goes on with it.
        </p>
      </li>
      <li>
        <h3>They open the link</h3>
        <p class="quiet">Their browser connects to yours. Nobody in between can change a byte unseen.</p>
      </li>
      <li>
        <h3>More people, more speed</h3>
        <p class="quiet">Everybody who has a piece hands it on, so that a crowd is faster than you alone.</p>
      </li>
    </ol>
  );
}
