/**
 * What buttons of transfers do: wait, say what is so then, and show what was refused. Called by transfer-actions and
 * joint-actions.
 */
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { shownName } from "../../spelling/folder-name.ts";
import { Button } from "../elements/button.tsx";
import type { IconName } from "../elements/icon.tsx";
import { useApp } from "../state/app-state.ts";

/** With what is so then, for those who do not see what became of the button. */
const ACTIONS = {
  Pause: { icon: "pause", said: "is paused." },
  Resume: { icon: "play", said: "goes on." },
  "Try again": { icon: "retry", said: "is asked for again." },
  Cancel: { icon: "close", said: "is cancelled." },
} as const satisfies Record<string, { icon: IconName; said: string }>;

/** A button of what is called `name`. */
export function useActions(
  name: string,
): (label: keyof typeof ACTIONS, run: () => Promise<unknown>) => VNode {
  const { transfers, toasts } = useApp();
  const shown = shownName(name);
  const busy = useSignal<string | undefined>(undefined);
  return (label, run) => (
    <Button
      icon={ACTIONS[label].icon}
      isFinal={label === "Cancel"}
      busy={busy.value === label}
      label={`${label} ${shown}`}
      onClick={async () => {
        busy.value = label;
        try {
          await run();
          toasts.say({ text: `${shown} ${ACTIONS[label].said}`, tone: "plain" });
          await transfers.refresh();
        } catch (error) {
          toasts.showError(error);
        } finally {
          busy.value = undefined;
        }
      }}
    >
      {label}
    </Button>
  );
}
