/** What the page offers in passing: a new version, installing it, being told of finished downloads. Called by the shell. */
import { useComputed, useSignal } from "@preact/signals";
import { Button } from "../elements/button.tsx";
import { remember, remembered } from "../remembered.ts";
import { useApp } from "../state/app-state.ts";
import { isRunning } from "../transfers/transfer-words.ts";
import "./page-offers.css";

export function PageOffers() {
  const apply = useApp().update.value;
  if (apply !== undefined) {
    return (
      <div class="page-offer" role="status">
        <p>A new version is ready. Reloading takes a second, and transfers go on by themselves.</p>
        <Button onClick={apply}>Reload</Button>
      </div>
    );
  }
  return <NotificationOffer />;
}

const ASKED_KEY = "shoal-notifications-asked";

/** Shown once in a browser's life, while there is something to wait for; refusing is for good. */
function NotificationOffer() {
  const { transfers } = useApp();
  const isAsked = useSignal(remembered(ASKED_KEY) !== undefined);
  const isWaiting = useComputed(() => (transfers.value.value ?? []).some(isRunning));
  const canAsk = "Notification" in window && Notification.permission === "default";
  if (isAsked.value || !isWaiting.value || !canAsk) return null;
  const end = () => {
    remember(ASKED_KEY, "yes");
    isAsked.value = true;
  };
  return (
    <div class="page-offer" role="status">
      <p>Shall the browser tell you when a download is complete and you are elsewhere?</p>
      <Button
        onClick={() => {
          end();
          void Notification.requestPermission();
        }}
      >
        Yes, tell me
      </Button>
      <Button weight="bare" onClick={end}>
        No
      </Button>
    </div>
  );
}
