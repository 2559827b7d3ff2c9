/**
 * Connects to the addresses of a link as soon as the node runs, and anew when it is back, since another tab's knows
 * nobody, or the device is online again, so that holders are met before the file is asked for. Called by get-screen and
 * get-many-dialog; calls the client. Gives words for how it stands.
 */
import { type ReadonlySignal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useApp } from "../state/app-state.ts";
import { useOffline } from "../state/use-offline.ts";

const NO_ANSWER = "Who sent the link does not answer just now.";

export function useDial(addresses: readonly string[]): ReadonlySignal<string> {
  const { client, phase, network } = useApp();
  const told = useSignal("Looking for peers who have it.");
  const isRunning = phase.value.phase === "running";
  const isOffline = useOffline();
  /** Another link to the same file may bring others. */
  const key = addresses.join(" ");

  useEffect(() => {
    if (!isRunning) return;
    if (addresses.length === 0) {
      told.value = "No peer that is met lists it. You can ask for it: it is looked for during half a minute.";
      return;
    }
    let isOver = false;
    const tell = (words: string) => {
      if (!isOver) told.value = words;
    };
    told.value = "Connecting to who sent the link…";
    // Those of one peer differ in transport only: the first that answers will do.
    Promise.any(addresses.map((address) => client.connect(address))).then(
      () => {
        tell("Connected to who sent the link.");
        // What they offer is asked for again and again, so that a failure is no news.
        network.refresh().catch(() => undefined);
      },
      () => {
        tell(
          isOffline
            ? `${NO_ANSWER} This device is offline: they are looked for again once it has a network.`
            : `${NO_ANSWER} Their page may be closed: ask them to open it. You can ask for the file already.`,
        );
      },
    );
    return () => {
      isOver = true;
    };
  }, [isRunning, key, isOffline]);
  return told;
}
