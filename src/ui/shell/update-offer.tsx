/** What the page offers in passing: a new version, until it is put off, for it covers what stands below. Called by the shell. */
import { useSignal } from "@preact/signals";
import { Button } from "../elements/button.tsx";
import { UPDATE_WAITS_AFTER_MS } from "../limits.ts";
import { useApp } from "../state/app-state.ts";
import { useLong } from "../state/use-long.ts";
import { CornerCard } from "./corner-card.tsx";

export function UpdateOffer() {
  const apply = useApp().update.value;
  const putOff = useSignal<typeof apply>(undefined);
  const agreed = useSignal<typeof apply>(undefined);
  // The page should have gone by then: the former service worker stays for as long as an answer goes through it.
  const waits = useLong(apply !== undefined && apply === agreed.value, UPDATE_WAITS_AFTER_MS);
  if (apply === undefined || apply === putOff.value) return null;
  return (
    <CornerCard
      role="status"
      actions={
        <>
          <Button weight="bare" onClick={() => (putOff.value = apply)}>
            Later
          </Button>
          <Button
            onClick={() => {
              agreed.value = apply;
              apply();
            }}
          >
            Reload
          </Button>
        </>
      }
    >
      {waits
        ? "The new version waits until nothing is played, saved or read by a program any more, here and in other tabs. It then comes by itself."
        : "A new version is ready. Reloading takes a second, and transfers go on by themselves."}
    </CornerCard>
  );
}
