/**
 * Watches a transfer to its end, with a bar on a terminal; elsewhere it is told once that nothing comes. Called by download, for
 * resume too; calls watching. Ctrl-C ends the watching, not the transfer.
 */
import type { StartedTransfer, TransferDetails } from "../../api/transfer-bodies.ts";
import type { ShoalClient } from "../../client/client.ts";
import { folderNameOf } from "../../spelling/folder-name.ts";
import { CommandError } from "../command-error.ts";
import {
  formatDuration,
  formatPeers,
  formatRate,
  printJson,
  printLine,
  printUnlessBar,
  progressBar,
} from "./output.ts";
import { eventsUntilStop, untilInterrupted } from "./watching.ts";

/** What tells of transfers. */
export const WATCHED = [
  "transfer_progress",
  "transfer_complete",
  "transfer_failed",
  "transfer_cancelled",
  "transfer_interrupted",
] as const;
export const ENDED: readonly string[] = ["completed", "failed", "cancelled"];

/** Asks the node for a transfer of a file; from then on Ctrl-C ends the watching alone. */
type Start = () => Promise<Pick<StartedTransfer, "transfer_id">>;

/** @throws CommandError `request_failed` when the transfer failed, `interrupted` on Ctrl-C */
export async function watchTransfer(
  client: ShoalClient,
  fileId: string,
  start: Start,
  { json }: { json: boolean },
): Promise<void> {
  const transfer = await transferEnd(client, fileId, start);
  if (json) printJson(transfer);
  checkCompleted(transfer);
  const place = transfer.output_path === null ? "" : `: ${transfer.output_path}`;
  if (json) return;
  printLine(`${transfer.file_id} is here${place}`);
  if (folderNameOf(transfer.name) !== undefined) {
    printLine("It is the list of a folder: with --folder its files come.");
  }
}

/** @throws CommandError `request_failed` when the node stops, `interrupted` on Ctrl-C */
export async function transferEnd(
  client: ShoalClient,
  fileId: string,
  start: Start,
): Promise<TransferDetails> {
  const resume = `shoal resume ${fileId}`;
  const transfer = await untilInterrupted(
    `the download goes on in the node: see shoal transfers. If it is interrupted: ${resume}`,
    async (signal) => untilEnded(client, (await start()).transfer_id, signal),
  );
  if (transfer !== undefined) return transfer;
  throw new CommandError("request_failed", `the node stopped; when it runs again: ${resume}`);
}

/** @throws CommandError `request_failed` for a transfer that ended otherwise */
export function checkCompleted(transfer: TransferDetails): void {
  if (transfer.status === "completed") return;
  const reason = transfer.error === null ? "" : `: ${transfer.error}`;
  const end = transfer.status === "cancelled" ? "was cancelled" : transfer.status;
  throw new CommandError("request_failed", `the transfer ${end}${reason}`);
}

/** undefined when the node ends first. */
async function untilEnded(
  client: ShoalClient,
  transferId: string,
  signal: AbortSignal,
): Promise<TransferDetails | undefined> {
  const bar = progressBar("{bar} {percentage}%  {speed}  {left} left  {peers}  {status}");
  const unknown = { speed: formatRate(0), left: "?", peers: formatPeers(0), status: "started" };
  bar.start(100, 0, unknown);
  let isFirst = true;
  let isToldToWait = false;
  try {
    // From event 0: what happened between the start of the transfer and now is told again.
    for await (const event of eventsUntilStop(client, { events: WATCHED, lastEventId: "0", signal })) {
      const isOurs = "transfer_id" in event.data && event.data.transfer_id === transferId;
      if (isOurs && event.event === "transfer_progress") {
        const { progress, speed, peers, status, estimated_completion } = event.data;
        bar.update(Math.floor(progress * 100), {
          speed: formatRate(speed),
          left: timeLeft(event.timestamp, estimated_completion),
          peers: formatPeers(peers),
          status,
        });
      } else if (isOurs || isFirst) {
        // Even by another's: the end of this one may have been followed by more than is kept.
        const transfer = await client.transfer(transferId);
        if (ENDED.includes(transfer.status)) return transfer;
        if (transfer.status === "interrupted" && !isToldToWait) {
          isToldToWait = true;
          printUnlessBar(waitingFor(transfer.file_id, transfer.error));
        }
        bar.update({ ...unknown, status: transfer.status });
      }
      isFirst = false;
    }
  } finally {
    bar.stop();
  }
  return undefined;
}

/** `why`: what the node says of one that is interrupted. */
export function waitingFor(what: string, why: string | null): string {
  return why === null ? `waiting for ${what}` : `waiting for ${what}: ${why}`;
}

/** Both by the node's clock, which may be another machine's and differ from the one here. */
function timeLeft(toldAt: string, estimatedCompletion: string | null): string {
  if (estimatedCompletion === null) return "?";
  return formatDuration(Math.max(0, (Date.parse(estimatedCompletion) - Date.parse(toldAt)) / 1000));
}
