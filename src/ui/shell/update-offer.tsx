/** What the page offers in passing: a new version, until it is put off, for it covers what stands below. Called by the shell. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Button } from "../elements/button.tsx";
import { UPDATE_WAITS_AFTER_MS } from "../limits.ts";
import { useApp } from "../state/app-state.ts";
import "./update-offer.css";

export function UpdateOffer() {
  const apply = useApp().update.value;
  const putOff = useSignal<typeof apply>(undefined);
  const agreed = useSignal<typeof apply>(undefined);
  const waits = useWaiting(apply !== undefined && apply === agreed.value);
  if (apply === undefined || apply === putOff.value) return null;
  return (
    <div class="update-offer" role="status">
      <p>
        {waits
          ? "The new version waits until nothing is played, saved or read by a program any more, here and in other tabs. It then comes by itself."
          : "A new version is ready. Reloading takes a second, and transfers go on by themselves."}
      </p>
      <div class="update-offer-actions">
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
      </div>
    </div>
  );
}

/** True once the page should have gone: the former service worker stays for as long as an answer goes through it. */
function useWaiting(isAgreed: boolean): boolean {
  const isLong = useSignal(false);
  useEffect(() => {
    isLong.value = false;
    if (!isAgreed) return;
    const timer = setTimeout(() => {
      isLong.value = true;
    }, UPDATE_WAITS_AFTER_MS);
    return () => clearTimeout(timer);
  }, [isAgreed, isLong]);
  return isLong.value;
}
