/**
 * Connects to the addresses of a link as soon as the node runs, so that its holders are met before the file is asked for.
 * Called by get-screen; calls the client. Gives words for how it stands.
 */
import { type ReadonlySignal, useSignal, useSignalEffect } from "@preact/signals";
import { useRef } from "preact/hooks";
import { useApp } from "../state/app-state.ts";

export function useDial(addresses: readonly string[]): ReadonlySignal<string> {
  const { client, phase, network } = useApp();
  const told = useSignal("Looking for peers who have it.");
  const isAsked = useRef(false);

  useSignalEffect(() => {
    if (phase.value.phase !== "running" || isAsked.current) return;
    isAsked.current = true;
    if (addresses.length === 0) {
      told.value = "Nobody who has it is met yet. You can ask for it: it is looked for during half a minute.";
      return;
    }
    told.value = "Connecting to who sent the link…";
    // Those of one peer differ in transport only: the first that answers will do.
    Promise.any(addresses.map((address) => client.connect(address)))
      .then(async () => {
        told.value = "Connected to who sent the link.";
        await network.refresh();
      })
      .catch(() => {
        told.value =
          "Who sent the link does not answer just now. Their page may be closed: ask them to open it. You can ask for the file already.";
      });
  });
  return told;
}
