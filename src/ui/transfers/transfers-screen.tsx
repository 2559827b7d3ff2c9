/** Transfers: what is coming in, drawn piece by piece or folder by folder, the speeds, and what is over. Called by the shell. */
import { useComputed, useSignal } from "@preact/signals";
import { useCallback } from "preact/hooks";
import { SpeedChart } from "../drawings/speed-chart.tsx";
import { EmptyState } from "../elements/empty-state.tsx";
import { ShowMore } from "../elements/show-more.tsx";
import { useLongList } from "../elements/use-long-list.tsx";
import { OpenedFile } from "../files/opened-file.tsx";
import { holdersOf } from "../folders/grouped.ts";
import { toggled } from "../folders/toggled.ts";
import { ROWS_A_PAGE } from "../limits.ts";
import { hrefOf } from "../router.ts";
import { useApp } from "../state/app-state.ts";
import type { LocalFile } from "../state/entries.ts";
import { useKept } from "../state/use-kept.ts";
import { FolderTransfers } from "./folder-transfers.tsx";
import { NotificationOffer } from "./notification-offer.tsx";
import { TransferCard } from "./transfer-card.tsx";
import { TransferLine } from "./transfer-line.tsx";
import { type TransferRow, type TransferRows, transferRows } from "./transfer-rows.ts";
import { isUnfinished, underWayText } from "./transfer-words.ts";
import "./transfers-screen.css";

export function TransfersScreen() {
  const { transfers, listing, traffic } = useApp();
  const cardCount = useKept("unfinished rows", ROWS_A_PAGE);
  const { list, rowCount, drawn, room } = useLongList();
  /** Goes on when its transfer ends, and moves from one list to the other. */
  const opened = useSignal<LocalFile | undefined>(undefined);
  // The same each time, or each row would be drawn anew.
  const open = useCallback((file: LocalFile) => {
    opened.value = file;
  }, []);
  /** Ids of folders, which are open in either list. */
  const unfolded = useKept<ReadonlySet<string>>("open folders", new Set());
  const folders = useComputed(() => listing.value?.known ?? new Map());
  const holders = useComputed(() => holdersOf(folders.value));
  /** Drawn once it is known what folders hold, so that none moves into its folder then. */
  const all = listing.value && transfers.value.value;
  const rows = useComputed(() => transferRows(transfers.value.value ?? [], folders.value, holders.value));
  const { unfinished, ended } = all === undefined ? NO_ROWS : rows.value;
  const draw = (rows: readonly TransferRow[], Single: typeof TransferLine | typeof TransferCard) =>
    rows.map((row) =>
      "folder" in row ? (
        <FolderTransfers
          key={row.id}
          group={row}
          isOpen={unfolded.value.has(row.id)}
          onToggle={() => (unfolded.value = toggled(unfolded.value, row.id))}
          onOpen={open}
        />
      ) : (
        <Single key={row.id} transfer={row} onOpen={open} />
      ),
    );
  return (
    <div class="screen">
      <header class="screen-head">
        <h1>Transfers</h1>
        {/* Heard when one comes or ends, and not for every piece. */}
        <p class="quiet" role="status">
          {unfinished.length > 0
            ? underWayText((all ?? []).filter(isUnfinished))
            : ended.length > 0 && "No download under way"}
        </p>
      </header>
      <section class="transfers-speed" aria-label="Speed over the last two minutes">
        <SpeedChart
          samples={traffic.samples.value}
          label="Bytes a second, down and up, over the last two minutes"
        />
      </section>
      {all === undefined && <p class="quiet">Your transfers appear here as soon as the node has started.</p>}
      {all?.length === 0 && (
        <EmptyState
          title="No downloads yet"
          actions={
            <a class="button plain" href={hrefOf("network")}>
              See what others share
            </a>
          }
        >
          <p>
            When you get a file, it is drawn here piece by piece, each piece in the colour of the peer that
            sent it. Open a link that somebody sent you, or look through the network.
          </p>
        </EmptyState>
      )}
      {unfinished.length > 0 && (
        <section class="transfers-cards">
          <h2 class="unseen">Unfinished</h2>
          <ul>{draw(unfinished.slice(0, cardCount.value), TransferCard)}</ul>
          <ShowMore rowCount={cardCount} total={unfinished.length} byHand />
          <NotificationOffer />
        </section>
      )}
      {ended.length > 0 && (
        <section class="transfers-ended">
          <h2>Finished</h2>
          <ul ref={list}>
            {room}
            {draw(drawn(ended), TransferLine)}
          </ul>
          <ShowMore rowCount={rowCount} total={ended.length} />
        </section>
      )}
      {opened.value && <OpenedFile file={opened.value} onClose={() => (opened.value = undefined)} />}
    </div>
  );
}

const NO_ROWS: TransferRows = { unfinished: [], ended: [] };
