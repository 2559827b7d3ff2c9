/**
 * A transfer drawn piece by piece in the colours of the peers that bring them, and those peers with their speeds. Called by
 * the transfer card and the screen of a link; calls drawings/piece-bar.
 */
import { useMemo, useRef } from "preact/hooks";
import { shownName } from "../../spelling/folder-name.ts";
import { type ChunkRuns, chunkRuns, isAnyAsked, isAnyFromBefore } from "../drawings/chunk-columns.ts";
import { PieceBar } from "../drawings/piece-bar.tsx";
import { PeerDot } from "../elements/peer-dot.tsx";
import { percentText } from "../elements/quantities.ts";
import { useSeen } from "../elements/use-seen.ts";
import { MAX_DRAWN_PIECES, TRANSFER_INTERVAL_MS } from "../limits.ts";
import { PeerName } from "../peers/peer-name.tsx";
import { useApp } from "../state/app-state.ts";
import type { Transfer } from "../state/entries.ts";
import { usePolled } from "../state/poll.ts";
import "./transfer-pieces.css";
import { isRunning, sourceText } from "./transfer-words.ts";

export function TransferPieces({ transfer }: { transfer: Transfer }) {
  const { client, peers: connected, peerNames } = useApp();
  const element = useRef<HTMLDivElement>(null);
  // Of hundreds that run, some are in the window.
  const seen = useSeen(element).value;
  const running = isRunning(transfer);
  const key = `${transfer.id} ${transfer.status}`;
  // Of hundreds that wait for their turn nothing comes.
  const isAsked = running && !transfer.waiting;
  const chunks = usePolled(
    () => client.chunks(transfer.id, { sample: MAX_DRAWN_PIECES }),
    TRANSFER_INTERVAL_MS,
    key,
    isAsked,
    seen,
  );
  const details = usePolled(() => client.transfer(transfer.id), TRANSFER_INTERVAL_MS, key, isAsked, seen);
  const transportOf = (id: string) => connected.value.value?.find((peer) => peer.id === id)?.transport;
  const peers = running ? (details.value?.peers ?? []) : [];
  const runs = useMemo(() => chunks.value && chunkRuns(chunks.value), [chunks.value]);
  return (
    <div ref={element} class="transfer-pieces">
      <Pieces
        runs={runs}
        peers={chunks.value?.peers ?? []}
        name={transfer.name}
        progress={transfer.progress}
      />
      <ul class="transfer-peers small figures" aria-label="Peers it comes from">
        {peers.map((peer) => (
          <li key={peer.id}>
            <PeerDot peerId={peer.id} />
            <PeerName id={peer.id} name={peerNames.value.get(peer.id) ?? null} />
            <span class="quiet">{sourceText(peer, transportOf(peer.id))}</span>
          </li>
        ))}
        {running && runs !== undefined && isAnyAsked(runs) && (
          <li aria-hidden="true">
            <span class="peer-dot transfer-asked" />
            <span class="quiet">asked for</span>
          </li>
        )}
        {peers.length > 0 && runs !== undefined && isAnyFromBefore(runs) && (
          <li aria-hidden="true">
            <span class="peer-dot transfer-before" />
            <span class="quiet">here before</span>
          </li>
        )}
      </ul>
    </div>
  );
}

interface PiecesProps {
  runs: ChunkRuns | undefined;
  peers: readonly string[];
  name: string;
  progress: number;
}

function Pieces({ runs, peers, name, progress }: PiecesProps) {
  // The figure that is read beside it: one counted from the pieces was asked for at another moment.
  const label = `Pieces of ${shownName(name)}: ${percentText(progress)} here`;
  if (runs === undefined || runs.chunkCount === 0) {
    return <div class="transfer-pieces-none" role="img" aria-label={label} />;
  }
  return <PieceBar runs={runs} peers={peers} label={label} />;
}
