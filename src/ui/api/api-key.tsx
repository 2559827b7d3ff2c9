/** The origin's API key: hidden until asked for, copied without being shown, replaced after a question. Called by api-screen. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Button } from "../elements/button.tsx";
import { ConfirmDialog } from "../elements/confirm-dialog.tsx";
import { useApp } from "../state/app-state.ts";

const HIDDEN = `shoal_${"•".repeat(24)}`;

export function ApiKey() {
  const { host, toasts } = useApp();
  /** Undefined while hidden. */
  const shown = useSignal<string | undefined>(undefined);
  const isAsking = useSignal(false);

  const toggle = async () => {
    shown.value = shown.value === undefined ? await host.apiKey() : undefined;
  };
  // Another tab may have replaced it.
  useEffect(() => {
    const look = async () => {
      if (shown.value === undefined) return;
      const key = await host.apiKey();
      if (shown.value !== undefined) shown.value = key;
    };
    const onFocus = () => void look().catch(toasts.showError);
    addEventListener("focus", onFocus);
    return () => removeEventListener("focus", onFocus);
  }, [host, toasts, shown]);
  const copy = async () => {
    await navigator.clipboard.writeText(await host.apiKey());
    toasts.show({ text: "The key is on the clipboard." });
  };
  const replace = async () => {
    const key = await host.replaceApiKey();
    if (shown.value !== undefined) shown.value = key;
    toasts.show({ text: "The key is replaced. Give the new one to your programs." });
  };
  const tried = (task: () => Promise<void>) => () => void task().catch(toasts.showError);

  return (
    <section class="api-section" aria-labelledby="api-key-title">
      <h2 id="api-key-title">Key</h2>
      <p>
        Each request carries it as <code>Authorization: Bearer …</code>. Who has it rules this node; it is
        kept in this browser alone.
      </p>
      <div class="api-key">
        <code aria-live="polite">
          {shown.value ?? <span aria-hidden="true">{HIDDEN}</span>}
          {shown.value === undefined && <span class="unseen">Hidden</span>}
        </code>
        <Button pressed={shown.value !== undefined} onClick={tried(toggle)}>
          Show
        </Button>
        <Button icon="copy" onClick={tried(copy)}>
          Copy
        </Button>
        <Button weight="bare" icon="retry" onClick={() => (isAsking.value = true)}>
          Replace…
        </Button>
      </div>
      {isAsking.value && (
        <ConfirmDialog
          title="Replace the key?"
          keepLabel="Keep it"
          actLabel="Replace"
          act={replace}
          onClose={() => (isAsking.value = false)}
        >
          <p>Programs that use the present key are refused from then on. This page goes on by itself.</p>
        </ConfirmDialog>
      )}
    </section>
  );
}
