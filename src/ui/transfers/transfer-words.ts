/** What a transfer is doing, in words a person uses. Called by the rows of transfers and the screen of a link. */
import { countText, durationText, percentText, speedText } from "../elements/quantities.ts";
import { TRANSPORT_WORDS } from "../peers/peer-words.ts";
import type { Peer, Transfer } from "../state/entries.ts";
import { sentence } from "../state/sentence.ts";

const RUNNING: readonly Transfer["status"][] = ["started", "in_progress", "resumed"];

export function isRunning({ status }: Pick<Transfer, "status">): boolean {
  return RUNNING.includes(status);
}

/** Runs, or goes on later. */
export function isUnfinished(transfer: Pick<Transfer, "status">): boolean {
  return isRunning(transfer) || transfer.status === "interrupted";
}

/** Its file can't be deleted before it is cancelled. A repair ends with its file. */
export function keepsFile(transfer: Pick<Transfer, "status" | "repair">): boolean {
  return isUnfinished(transfer) && !transfer.repair;
}

/** Of transfers given newest first: below the others come those that wait for their turn, the next first. */
export function inTurn(unfinished: readonly Transfer[]): Transfer[] {
  const waiting = unfinished.filter((transfer) => transfer.waiting);
  return [...unfinished.filter((transfer) => !transfer.waiting), ...waiting.reverse()];
}

/** What has just come is looked for at the top, however long it took. */
export function lastEndedFirst(a: Transfer, b: Transfer): number {
  const [aEnd, bEnd] = [a.ended_at ?? a.started_at, b.ended_at ?? b.started_at];
  // As texts: the node writes all times alike.
  return aEnd === bEnd ? 0 : aEnd > bEnd ? -1 : 1;
}

/** One line; what is wrong and what happens next are in `adviceOn`. */
export function statusText(transfer: Transfer, nowMs = Date.now()): string {
  const { status, progress, speed, peers } = transfer;
  if (status === "completed") return `Done in ${tookText(transfer)}`;
  if (status === "cancelled") return `Cancelled at ${percentText(progress)}`;
  if (status === "failed") return "Failed";
  if (status === "interrupted")
    return transfer.paused ? `Paused at ${percentText(progress)}` : "Waiting for a peer who has it";
  if (transfer.waiting) return "Waiting for its turn: other files come first";
  const isBegun = progress > 0;
  if (peers === 0) return `Looking for peers who have ${isBegun ? "the rest" : "it"}`;
  const asked = countText(peers, "peer");
  if (speed === 0) return isBegun ? `Nothing comes just now · waiting for ${asked}` : `Asking ${asked}`;
  const left = transfer.estimated_completion;
  const leftText = left === null ? "" : ` · ${durationText((Date.parse(left) - nowMs) / 1000)} left`;
  return `${speedText(speed)} from ${asked}${leftText}`;
}

/** What one peer brings of it, and the way if that is one which slows it down. */
export function sourceText(
  { speed, chunks_downloaded }: { speed: number; chunks_downloaded: number },
  transport: Peer["transport"] | undefined,
): string {
  const brought = `${speedText(speed)} · ${countText(chunks_downloaded, "piece")}`;
  return transport === "relay" ? `${brought} · ${TRANSPORT_WORDS.relay}` : brought;
}

/** How many of these run, as the navigation counts them, and how many go on later. */
export function underWayText(unfinished: readonly Pick<Transfer, "status">[]): string {
  const running = unfinished.filter(isRunning).length;
  const later = unfinished.length - running;
  const runningText = running === 0 ? "No download" : countText(running, "download");
  return `${runningText} under way${later === 0 ? "" : `, ${later} paused or waiting`}`;
}

/** The next step where something is in the way. */
export function adviceOn(transfer: Transfer): string | undefined {
  if (transfer.status === "failed") {
    return `${sentence(transfer.error ?? "It ended without a reason")} ${afterFailure(transfer)}`;
  }
  if (transfer.status === "interrupted" && !transfer.paused) {
    return `${sentence(transfer.error ?? "Nobody who has it is here now")} It goes on by itself when one of them is back.`;
  }
  return undefined;
}

function afterFailure({ progress, size, storage_full: isFull }: Transfer): string {
  const again = isFull ? "Make room and try again" : "Try again";
  if (progress > 0) return `${again}: what is here already is kept and only the rest is fetched.`;
  if (isFull) return `${again}.`;
  // Whoever has it would have told its size.
  if (size === null) return "Ask somebody who has it to open Shoal, in the same swarm as you, and try again.";
  return "Try again when that has changed.";
}

/** Pauses and waiting are part of it, so that no speed follows from it. */
function tookText({ started_at, ended_at }: Transfer): string {
  const seconds = (Date.parse(ended_at ?? started_at) - Date.parse(started_at)) / 1000;
  return seconds < 1 ? "a moment" : durationText(seconds);
}
