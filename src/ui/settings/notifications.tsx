/** Whether the browser tells when a transfer has ended. Asked for here alone, and only on a click. Called by settings-screen. */
import { useSignal } from "@preact/signals";
import { Button } from "../elements/button.tsx";
import { Section } from "./section.tsx";

export function Notifications() {
  const isKnown = "Notification" in globalThis;
  const permission = useSignal<NotificationPermission>(isKnown ? Notification.permission : "denied");
  const ask = async () => {
    permission.value = await Notification.requestPermission();
  };
  return (
    <Section
      name="notifications"
      title="Notifications"
      about="When a transfer has ended and this page is not in front."
    >
      {!isKnown && <p>This browser shows none.</p>}
      {isKnown && permission.value === "granted" && (
        <p>On. To turn them off, use the browser's settings for this site.</p>
      )}
      {isKnown && permission.value === "denied" && (
        <p>Off: the browser's settings for this site refuse them. Allow them there first.</p>
      )}
      {isKnown && permission.value === "default" && (
        <Button onClick={() => void ask()}>Tell me when transfers end</Button>
      )}
    </Section>
  );
}
