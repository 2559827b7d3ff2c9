/**
 * What the page does about being left or left alone: asks before it closes on others, keeps the screen awake while bytes
 * flow, and tells of what ended, and what peers ask and answer, while nobody looks. Called by the shell; calls the browser.
 */
import { effect, untracked } from "@preact/signals";
import type { AppState } from "../state/app-state.ts";
import { opening, plainText } from "../state/toasts.ts";
import { isRunning } from "../transfers/transfer-words.ts";
import { tellOfAnswers } from "./tell-of-answers.ts";
import { tellOfEnds } from "./tell-of-ends.ts";
import { tellOfInvitations } from "./tell-of-invitations.ts";
import { warnBeforeLeaving } from "./warn-before-leaving.ts";

/** Runs until the function returned is called. */
export function watchPresence(app: AppState): () => void {
  const ends = [
    warnBeforeLeaving(() => reasonToStay(app) !== undefined),
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

/** Why leaving now would hurt somebody; undefined if it would not. */
function reasonToStay({ hosting, traffic, transfers, imports, isReloading }: AppState): string | undefined {
  const host = hosting.value;
  if (imports.isReading.value) return "Files are still being read.";
  if (isReloading.value || host.state !== "running" || !host.inThisTab) return undefined;
  if (traffic.latest.value.upBytesPerSecond > 0) return "Others are downloading from you.";
  if ((transfers.value.value ?? []).some(isRunning))
    return "A download is under way. It goes on when you are back.";
  return undefined;
}

function keepScreenAwake(app: AppState): () => void {
  let lock: Promise<WakeLockSentinel | undefined> | undefined;
  const release = () => {
    lock?.then((held) => held?.release());
    lock = undefined;
  };
  const update = () => {
    const isBusy =
      (app.transfers.value.value ?? []).some(isRunning) || app.traffic.latest.value.upBytesPerSecond > 0;
    const isSeen = document.visibilityState === "visible";
    if (!isBusy || !isSeen) return release();
    // Refused on low battery and where there is no such thing; the transfer goes on all the same.
    if ("wakeLock" in navigator) lock ??= navigator.wakeLock.request("screen").catch(() => undefined);
  };
  const stop = effect(update);
  // The browser lets go of the lock when the page is hidden.
  const onVisibility = () => {
    release();
    update();
  };
  document.addEventListener("visibilitychange", onVisibility);
  return () => {
    stop();
    document.removeEventListener("visibilitychange", onVisibility);
    release();
  };
}

/** A row of the files says it to those who look at it; of many that fail together the last. */
function tellOfFailedImports({ imports, toasts, router }: AppState): () => void {
  let told: ReadonlySet<number> = new Set();
  return effect(() => {
    const failed = imports.list.value.filter(({ state }) => state === "failed");
    const last = failed.findLast(({ id }) => !told.has(id));
    told = new Set(failed.map(({ id }) => id));
    if (last === undefined) return;
    const text = { file: last.name, after: ` could not be shared. ${last.error ?? ""}` };
    untracked(() => {
      if (router.route.value.screen === "files") toasts.say({ text: plainText(text), tone: "bad" });
      else toasts.show({ text, tone: "bad", action: opening(router, "files") });
    });
  });
}

function clearOnArrival({ toasts, router }: AppState): () => void {
  return effect(() => {
    const { screen } = router.route.value;
    if (screen !== "get" && screen !== "unknown") untracked(() => toasts.arrived(screen));
  });
}
