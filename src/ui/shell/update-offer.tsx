/** What the page offers in passing: a new version, until it is put off, for it covers what stands below. Called by the shell. */
import { useSignal } from "@preact/signals";
import { Button } from "../elements/button.tsx";
import { useApp } from "../state/app-state.ts";
import "./update-offer.css";

export function UpdateOffer() {
  const apply = useApp().update.value;
  const putOff = useSignal<typeof apply>(undefined);
  if (apply === undefined || apply === putOff.value) return null;
  return (
    <div class="update-offer" role="status">
      <p>A new version is ready. Reloading takes a second, and transfers go on by themselves.</p>
      <div class="update-offer-actions">
        <Button weight="bare" onClick={() => (putOff.value = apply)}>
          Later
        </Button>
        <Button onClick={apply}>Reload</Button>
      </div>
    </div>
  );
}
