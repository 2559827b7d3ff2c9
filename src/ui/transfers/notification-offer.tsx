/** Asks once in a browser's life, while a download runs, whether to tell of its end. Called by the screens that show one. */
import { useComputed, useSignal } from "@preact/signals";
import { Button } from "../elements/button.tsx";
import { remember, remembered } from "../remembered.ts";
import { useApp } from "../state/app-state.ts";
import { isRunning } from "./transfer-words.ts";
import "./notification-offer.css";

const ASKED_KEY = "shoal-notifications-asked";

/** Refusing is for good; the settings have a button for later. */
export function NotificationOffer() {
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
    <div class="notification-offer small" role="status">
      <p>Shall the browser tell you when it is here and you are elsewhere?</p>
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
