/** One transfer that is not over: name, pieces, peers, what it waits for, buttons. Called by transfers-screen. */
import { Advice } from "../elements/advice.tsx";
import { FileName } from "../elements/file-name.tsx";
import { FileStamp } from "../elements/file-stamp.tsx";
import { bytesText, percentText } from "../elements/quantities.ts";
import { OpenButton, type OpenButtonProps } from "./open-button.tsx";
import { TransferActions } from "./transfer-actions.tsx";
import "./transfer-card.css";
import { TransferPieces } from "./transfer-pieces.tsx";
import { adviceOn, statusText } from "./transfer-words.ts";

export function TransferCard({ transfer, onOpen }: OpenButtonProps) {
  const advice = adviceOn(transfer);
  return (
    <li class={`transfer-card ${transfer.status}`} data-thing={transfer.id}>
      <div class="transfer-card-head">
        <FileStamp name={transfer.name} />
        <div class="transfer-card-what">
          <h3>
            <FileName name={transfer.name} />
          </h3>
          <p class="small figures quiet">{statusText(transfer)}</p>
        </div>
        <p class="transfer-card-share figures">
          <strong>{percentText(transfer.progress)}</strong>
          {transfer.size !== null && <span class="small quiet">of {bytesText(transfer.size)}</span>}
        </p>
        <TransferActions transfer={transfer}>
          <OpenButton transfer={transfer} onOpen={onOpen} />
        </TransferActions>
      </div>
      <TransferPieces transfer={transfer} />
      {advice && <Advice>{advice}</Advice>}
    </li>
  );
}
