/** Transfers: what is coming in, drawn piece by piece, the speeds, and what is over. Called by the shell. */
import { useComputed, useSignal } from "@preact/signals";
import { SpeedChart } from "../drawings/speed-chart.tsx";
import { EmptyState } from "../elements/empty-state.tsx";
import { ShowMore } from "../elements/show-more.tsx";
import { OpenedFile } from "../files/opened-file.tsx";
import { ROWS_A_PAGE } from "../limits.ts";
import { hrefOf } from "../router.ts";
import { useApp } from "../state/app-state.ts";
import type { LocalFile, Transfer } from "../state/entries.ts";
import { EndedTransfer } from "./ended-transfer.tsx";
import { NotificationOffer } from "./notification-offer.tsx";
import { TransferCard } from "./transfer-card.tsx";
import { inTurn, isUnfinished, underWayText } from "./transfer-words.ts";
import "./transfers-screen.css";

export function TransfersScreen() {
  const { transfers, traffic } = useApp();
  const cardCount = useSignal(ROWS_A_PAGE);
  const rowCount = useSignal(ROWS_A_PAGE);
  /** Goes on when its transfer ends, and moves from one list to the other. */
  const opened = useSignal<LocalFile | undefined>(undefined);
  const open = (file: LocalFile) => (opened.value = file);
  const unfinished = useComputed(() => inTurn((transfers.value.value ?? []).filter(isUnfinished)));
  const ended = useComputed(() =>
    (transfers.value.value ?? []).filter((transfer) => !isUnfinished(transfer)).sort(lastEndedFirst),
  );
  return (
    <div class="screen">
      <header class="screen-head">
        <h1>Transfers</h1>
        {/* Heard when one comes or ends, and not for every piece. */}
        <p class="quiet" role="status">
          {unfinished.value.length > 0
            ? underWayText(unfinished.value)
            : ended.value.length > 0 && "No download under way"}
        </p>
      </header>
      <section class="transfers-speed" aria-label="Speed over the last two minutes">
        <SpeedChart
          samples={traffic.samples.value}
          label="Bytes a second, down and up, over the last two minutes"
        />
      </section>
      {transfers.value.value === undefined && (
        <p class="quiet">Your transfers appear here as soon as the node has started.</p>
      )}
      {transfers.value.value?.length === 0 && (
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
      {unfinished.value.length > 0 && (
        <section class="transfers-cards">
          <h2 class="unseen">Unfinished</h2>
          <ul>
            {unfinished.value.slice(0, cardCount.value).map((transfer) => (
              <TransferCard key={transfer.id} transfer={transfer} onOpen={open} />
            ))}
          </ul>
          <ShowMore rowCount={cardCount} total={unfinished.value.length} />
          <NotificationOffer />
        </section>
      )}
      {ended.value.length > 0 && (
        <section class="transfers-ended">
          <h2>Finished</h2>
          <ul>
            {ended.value.slice(0, rowCount.value).map((transfer) => (
              <EndedTransfer key={transfer.id} transfer={transfer} onOpen={open} />
            ))}
          </ul>
          <ShowMore rowCount={rowCount} total={ended.value.length} />
        </section>
      )}
      {opened.value && <OpenedFile file={opened.value} onClose={() => (opened.value = undefined)} />}
    </div>
  );
}

/** What has just come is looked for at the top, however long it took. */
function lastEndedFirst(a: Transfer, b: Transfer): number {
  return Date.parse(b.ended_at ?? b.started_at) - Date.parse(a.ended_at ?? a.started_at);
}
