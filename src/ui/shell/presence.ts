/**
 * What the page does about being left or left alone: asks before it closes on others, keeps the screen awake while bytes
 * flow, and tells of what ended, and what peers ask and answer, while nobody looks. Called by the shell; calls one file for each
 * of these.
 */
import { effect, untracked } from "@preact/signals";
import type { AppState } from "../state/app-state.ts";
import { isRunning } from "../transfers/transfer-words.ts";
import { keepScreenAwake } from "./keep-screen-awake.ts";
import { tellOfAnswers } from "./tell-of-answers.ts";
import { tellOfEnds } from "./tell-of-ends.ts";
import { tellOfFailedImports } from "./tell-of-failed-imports.ts";
import { tellOfInvitations } from "./tell-of-invitations.ts";
import { warnBeforeLeaving } from "./warn-before-leaving.ts";

/** Runs until the function returned is called. */
export function watchPresence(app: AppState): () => void {
  const ends = [
    warnBeforeLeaving(() => isLeavingHarmful(app)),
    keepScreenAwake(app),
    tellOfEnds(app),
    tellOfInvitations(app),
    tellOfAnswers(app),
    tellOfFailedImports(app),
    clearOnArrival(app),
  ];
  return () => {
    for (const end of ends) end();
  };
}

/** Files are still being read, or the node that others download from, or this person by, is in this tab. */
function isLeavingHarmful({ hosting, traffic, transfers, imports, isReloading }: AppState): boolean {
  const host = hosting.value;
  if (imports.isReading.value) return true;
  if (isReloading.value || host.state !== "running" || !host.inThisTab) return false;
  return traffic.latest.value.upBytesPerSecond > 0 || (transfers.value.value?.some(isRunning) ?? false);
}

function clearOnArrival({ toasts, router }: AppState): () => void {
  return effect(() => {
    const { screen } = router.route.value;
    if (screen !== "get" && screen !== "unknown") untracked(() => toasts.arrived(screen));
  });
}
