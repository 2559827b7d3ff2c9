/**
 * Where the node runs, as this tab sees it, in words for its person. Made by main for the screens; reads the leadership
 * and asks the other tabs.
 */
import { isBridgeError } from "../../bridge/bridge-error.ts";
import type { Hosting } from "../../ui/ports.ts";
import { WatchedValue } from "../watched-value.ts";
import type { LeaderState, Leadership } from "./leader.ts";
import type { LeaderLink } from "./leader-link.ts";

const LOOKING = "Looking for a tab that runs the node";

export interface HostingWatch {
  readonly hosting: WatchedValue<Hosting>;
  /** What this tab's node is doing while it starts. */
  showStep(step: string): void;
}

export function watchHosting(
  leadership: Pick<Leadership, "state" | "retry" | "reportSilence">,
  link: Pick<LeaderLink, "open" | "onNewLeader">,
): HostingWatch {
  const hosting = new WatchedValue<Hosting>({ state: "starting", step: LOOKING });
  let current: LeaderState | undefined;

  leadership.state.subscribe((state) => {
    current = state;
    if (state.name === "starting") hosting.set({ state: "starting", step: "Starting the node" });
    else if (state.name === "leading") hosting.set({ state: "running", inThisTab: true });
    else if (state.name === "failed") tellFailure(state.error);
    else {
      hosting.set({ state: "starting", step: LOOKING });
      void findElsewhere();
    }
  });
  link.onNewLeader(() => void findElsewhere());
  // While nobody looked at it, this tab could not take over from a leader that answers nothing.
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible" && hosting.value.state === "starting") void findElsewhere();
  });

  function tellFailure(error: unknown): void {
    hosting.set(failure(error, () => leadership.retry()));
  }

  /** Another tab that answers runs the node; one that does not answer yet, or leads later, says so when it does. */
  async function findElsewhere(): Promise<void> {
    const asked = current;
    if (asked?.name === "starting" || asked?.name === "leading") return;
    try {
      const { ended } = await link.open();
      if (current !== asked) return;
      hosting.set({ state: "running", inThisTab: false });
      if (asked?.name !== "failed") return;
      // A tab that failed does not stand for leader any more: with the other one's node, its own failure is back.
      await ended;
      if (current === asked) tellFailure(asked.error);
    } catch (error) {
      if (!isBridgeError(error)) throw error;
      if (error.name === "silent") leadership.reportSilence();
    }
  }

  return {
    hosting,
    showStep: (step) => {
      if (current?.name === "starting") hosting.set({ state: "starting", step });
    },
  };
}

/** Why a node can't run here, and what helps. */
function failure(error: unknown, retry: () => void): Hosting {
  if (!isSecureContext) {
    return {
      state: "failed",
      reason:
        "This page came over plain http from another machine, and browsers let no node run in such a page.",
      advice:
        "Open it over https: start the host with --tls-cert and --tls-key, or put a reverse proxy before it. On the host's own machine, http://localhost works as it is.",
    };
  }
  const { name, message } = error instanceof Error ? error : { name: "", message: String(error) };
  if (name === "QuotaExceededError" || name === "storage_full") {
    return {
      state: "failed",
      reason: "The node did not start: the browser gives this site no more room.",
      advice: "Free some room on this device, then try again.",
      retry,
    };
  }
  // Chromium's errors of storage have a name alone.
  const reason = `The node did not start: ${message || name}`;
  if (name === "SecurityError" || name === "InvalidStateError" || name === "UnknownError") {
    return {
      state: "failed",
      reason,
      advice:
        "The browser keeps its storage from this page. Leave private browsing, or allow site data, then try again.",
      retry,
    };
  }
  if (typeof RTCPeerConnection === "undefined") {
    return { state: "failed", reason, advice: "This browser has no WebRTC, or it is switched off." };
  }
  return { state: "failed", reason, advice: "Try again, or reload the page.", retry };
}
