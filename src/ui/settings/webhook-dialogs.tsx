/** The dialogs of webhooks: another address or other events, and the secret, which is shown once. Called by webhooks. */
import type { ShoalClient } from "../../client/client.ts";
import { Button } from "../elements/button.tsx";
import { Dialog } from "../elements/dialog.tsx";
import { Field } from "../elements/field.tsx";
import { useApp } from "../state/app-state.ts";
import { copyText } from "../state/copy-text.ts";
import type { Webhook } from "./settings-state.ts";
import { WebhookForm, type WebhookWish } from "./webhook-form.tsx";

export type NewWebhook = Awaited<ReturnType<ShoalClient["addWebhook"]>>;

interface ChangeDialogProps {
  webhook: Webhook;
  /** As WebhookForm's. */
  onSubmit: (wish: WebhookWish) => Promise<void>;
  onClose: () => void;
}

export function ChangeDialog({ webhook, onSubmit, onClose }: ChangeDialogProps) {
  return (
    <Dialog title="Change the webhook" onClose={onClose}>
      <p class="quiet">
        {webhook.stopped
          ? "Its receiver answered that it is gone; saved, it is told again. The secret stays."
          : "The secret stays, and what waits goes to the new address."}
      </p>
      <WebhookForm label="Address" webhook={webhook} submitLabel="Save" onSubmit={onSubmit} />
    </Dialog>
  );
}

export function SecretDialog({ webhook, onClose }: { webhook: NewWebhook; onClose: () => void }) {
  const { toasts } = useApp();
  const copy = () => copyText(toasts, webhook.secret, "The secret is on the clipboard.");
  return (
    <Dialog
      title="The webhook's secret"
      onClose={onClose}
      actions={
        <>
          <Button icon="copy" onClick={() => void copy()}>
            Copy
          </Button>
          <Button weight="main" onClick={onClose}>
            I have kept it
          </Button>
        </>
      }
    >
      <p>The receiver checks the signature with it (Standard Webhooks). It is not shown again.</p>
      <Field label="Secret" value={webhook.secret} onInput={() => {}} exact readOnly />
    </Dialog>
  );
}
