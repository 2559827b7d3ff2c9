/** What the transfers of a folder come to together, in figures and words. Called by folder-transfers and shell/tell-of-ends. */
import { bytesText, countText, numberText, speedText, timeLeftText } from "../elements/quantities.ts";
import type { Transfer } from "../state/entries.ts";
import type { TransferGroup } from "./transfer-rows.ts";
import { adviceOn, isRunning, isUnfinished } from "./transfer-words.ts";

export interface Joint {
  sizeBytes: number;
  /** 0 to 1, of what was not cancelled. */
  progress: number;
}

export function jointOf(group: TransferGroup): Joint {
  const { transfers } = group;
  const wanted = transfers.filter(({ status }) => status !== "cancelled");
  const counted = wanted.length > 0 ? wanted : transfers;
  const sizeOf = sizesOf(group);
  const sizeBytes = sum(counted.map(sizeOf));
  const hereBytes = sum(counted.map((transfer) => transfer.progress * sizeOf(transfer)));
  const isWhole = wanted.length > 0 && wanted.every(({ status }) => status === "completed");
  return { sizeBytes, progress: isWhole ? 1 : sizeBytes === 0 ? 0 : hereBytes / sizeBytes };
}

/** One line: what they are doing, at so many bytes a second, if that is known, and how many of them have done it. */
export function jointText(group: TransferGroup, speed: number | undefined): string {
  const { transfers } = group;
  const count = (wanted: Transfer["status"]) => transfers.filter(({ status }) => status === wanted).length;
  const [done, failed, cancelled] = [count("completed"), count("failed"), count("cancelled")];
  if (done === transfers.length) {
    const size = bytesText(jointOf(group).sizeBytes);
    return `${countText(done, "file")}, ${size} · Done`;
  }
  const counts = [
    `${numberText(done)} of ${countText(transfers.length, "file")} here`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(cancelled > 0 ? [`${cancelled} cancelled`] : []),
  ];
  return [...doing(group, speed), counts.join(", ")].join(" · ");
}

/** What became of a folder of which nothing is on its way any more, as it follows its name. */
export function groupEndText({ transfers }: TransferGroup): { after: string; isHere: boolean } {
  const wanted = transfers.filter(({ status }) => status !== "cancelled").length;
  const failed = transfers.filter(({ status }) => status === "failed").length;
  const files = countText(wanted, "file");
  if (failed === 0)
    return { after: ` is here: ${files}, all of ${wanted === 1 ? "it" : "them"} checked.`, isHere: true };
  return { after: ` did not come whole: ${numberText(failed)} of ${files} failed.`, isHere: false };
}

/** The next step where something is in the way of all that is left, or of the first that failed. */
export function jointAdvice({ transfers }: TransferGroup): string | undefined {
  if (transfers.some(isRunning)) return undefined;
  const first = transfers.find((transfer) => adviceOn(transfer) !== undefined);
  return first && adviceOn(first);
}

function doing(group: TransferGroup, speed: number | undefined): string[] {
  const { transfers } = group;
  const running = transfers.filter(isRunning);
  if (running.length === 0) {
    const unfinished = transfers.filter(isUnfinished);
    if (unfinished.length === 0) return [];
    return [unfinished.every(({ paused }) => paused) ? "Paused" : "Waiting for a peer who has the rest"];
  }
  if (speed === undefined) return [];
  if (speed > 0) {
    const sizeOf = sizesOf(group);
    const left = sum(running.map((transfer) => (1 - transfer.progress) * sizeOf(transfer)));
    // Of a transfer alone, the node estimates nothing before its first chunk is here.
    const isBegun = transfers.some(({ progress }) => progress > 0);
    const leftText = isBegun ? timeLeftText(left, speed) : undefined;
    return [speedText(speed), ...(leftText === undefined ? [] : [leftText])];
  }
  if (running.every(({ waiting }) => waiting)) return ["Waiting for its turn: other files come first"];
  return [running.some(({ peers }) => peers > 0) ? "Asking peers" : "Looking for peers who have it"];
}

/** Where nobody has told yet, what the folder's list says. */
function sizesOf({ folder }: TransferGroup): (transfer: Transfer) => number {
  const listed = new Map(folder.files.map(({ file_id, size }) => [file_id, size]));
  return ({ file_id, size }) => size ?? listed.get(file_id) ?? 0;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
