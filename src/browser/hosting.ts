/**
 * Where the node runs, as this tab sees it, in words for its person. Made by main for the screens; reads the leadership
 * and asks the other tabs.
 */
import type { Hosting } from "../ui/ports.ts";
import type { LeaderState, Leadership } from "./leader.ts";
import type { LeaderLink } from "./leader-link.ts";
import { WatchedValue } from "./watched-value.ts";

const LOOKING = "Looking for a tab that runs the node";

export interface HostingWatch {
  readonly hosting: WatchedValue<Hosting>;
  /** What this tab's node is doing while it starts. */
  showStep(step: string): void;
}

export function watchHosting(leadership: Leadership, link: LeaderLink): HostingWatch {
  const hosting = new WatchedValue<Hosting>({ state: "starting", step: LOOKING });
  let current: LeaderState | undefined;

  leadership.state.subscribe((state) => {
    current = state;
    if (state.name === "starting") hosting.set({ state: "starting", step: "Starting the node" });
    else if (state.name === "leading") hosting.set({ state: "running", inThisTab: true });
    else if (state.name === "failed") hosting.set(failure(state.error, () => leadership.retry()));
    else void findElsewhere(state);
  });

  /** Another tab that answers runs the node; while none does, one is about to. */
  async function findElsewhere(asked: LeaderState): Promise<void> {
    hosting.set({ state: "starting", step: LOOKING });
    const isThere = await link.open().then(
      () => true,
      () => false,
    );
    if (current === asked && isThere) hosting.set({ state: "running", inThisTab: false });
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
  const name = error instanceof Error ? error.name : "";
  const reason = `The node did not start: ${error instanceof Error ? error.message : String(error)}`;
  if (name === "QuotaExceededError" || name === "storage_full") {
    return { state: "failed", reason, advice: "Free some room on this device, then try again.", retry };
  }
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
