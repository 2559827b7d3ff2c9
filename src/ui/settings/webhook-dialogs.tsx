/**
 * The dialogs of webhooks: another address or other events, the secret, which is shown once, and whether to remove one, which
 * can't be taken back: added again it has another secret. Called by webhooks.
 */
import type { ShoalClient } from "../../client/client.ts";
import { Button } from "../elements/button.tsx";
import { ConfirmDialog } from "../elements/confirm-dialog.tsx";
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

interface RemoveDialogProps {
  webhook: Webhook;
  /** As ConfirmDialog's. */
  act: () => Promise<void>;
  onClose: () => void;
}

export function RemoveDialog({ webhook, act, onClose }: RemoveDialogProps) {
  return (
    <ConfirmDialog
      title="Remove this webhook?"
      keepLabel="Keep it"
      actLabel="Remove"
      act={act}
      onClose={onClose}
    >
      <p>
        <bdi>{webhook.url}</bdi> is told no more, nor of what waits for it. Added again it has another secret.
      </p>
    </ConfirmDialog>
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
