/** Addresses that are told of events: list, add, change, remove; the secret is shown once. Called by settings-screen. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { ShoalClient } from "../../client/client.ts";
import { Button } from "../elements/button.tsx";
import { Dialog } from "../elements/dialog.tsx";
import { Field } from "../elements/field.tsx";
import { useApp } from "../state/app-state.ts";
import { copyText } from "../state/copy-text.ts";
import { poll } from "../state/poll.ts";
import { sentence } from "../state/sentence.ts";
import { WEBHOOKS_INTERVAL_MS } from "./limits.ts";
import { Section } from "./section.tsx";
import type { Webhook } from "./settings-state.ts";
import { WEBHOOK_EVENTS } from "./webhook-events.ts";
import { WebhookForm, type WebhookWish } from "./webhook-form.tsx";
import "./webhooks.css";

type NewWebhook = Awaited<ReturnType<ShoalClient["addWebhook"]>>;

export function Webhooks({ first }: { first: readonly Webhook[] }) {
  const { client, toasts } = useApp();
  const list = useSignal(first);
  const added = useSignal<NewWebhook | undefined>(undefined);
  const changing = useSignal<Webhook | undefined>(undefined);
  useEffect(() => {
    const stop = new AbortController();
    poll(refresh, WEBHOOKS_INTERVAL_MS, () => list.value.length > 0, stop.signal);
    return () => stop.abort();
  }, []);

  async function refresh(): Promise<void> {
    list.value = (await client.webhooks()).webhooks;
  }

  async function remove({ id, url, events }: Webhook): Promise<void> {
    try {
      await client.removeWebhook(id);
      const again = () => client.addWebhook(url, events).then(shown, toasts.showError);
      toasts.show({
        text: `${url} is told no more.`,
        action: { label: "Undo", run: () => void again(), undoes: true },
      });
      await refresh();
    } catch (error) {
      toasts.showError(error);
    }
  }

  async function change({ id }: Webhook, wish: WebhookWish): Promise<void> {
    await client.changeWebhook(id, wish);
    changing.value = undefined;
    await refresh().catch(toasts.showError);
  }

  /** Added again it has a new secret, which must be seen. */
  async function shown(webhook: NewWebhook): Promise<void> {
    added.value = webhook;
    await refresh().catch(toasts.showError);
  }

  return (
    <Section
      name="webhooks"
      title="Webhooks"
      about="Addresses that get a signed POST when something happens. From a page they are best effort: they go out while it is open, and the receiver must allow this origin (CORS)."
    >
      <ul class="webhooks-list" hidden={list.value.length === 0}>
        {list.value.map((webhook) => (
          <li key={webhook.id}>
            <div>
              <bdi>{webhook.url}</bdi>
              <p class="quiet small">
                {webhook.events.length === WEBHOOK_EVENTS.length ? "All events" : webhook.events.join(", ")}
                {webhook.stopped && " · stopped: the receiver answered 410 Gone"}
                {webhook.source === "settings" && " · set by a start flag"}
              </p>
              {!webhook.stopped && webhook.failure !== null && (
                <p class="small webhooks-failure">
                  {sentence(webhook.failure)} {waitingText(webhook.waiting)}
                </p>
              )}
            </div>
            {webhook.source === "api" && (
              <div class="webhooks-actions">
                <Button
                  weight="bare"
                  label={`Change ${webhook.url}`}
                  onClick={() => (changing.value = webhook)}
                >
                  Change
                </Button>
                <Button
                  weight="bare"
                  icon="remove"
                  iconOnly
                  label={`Remove ${webhook.url}`}
                  onClick={() => void remove(webhook)}
                >
                  Remove
                </Button>
              </div>
            )}
          </li>
        ))}
      </ul>
      <WebhookForm
        label="Tell this address"
        submitLabel="Add"
        onSubmit={async ({ url, events }) => shown(await client.addWebhook(url, events))}
      />
      {changing.value !== undefined && (
        <ChangeDialog
          webhook={changing.value}
          onSubmit={change}
          onClose={() => (changing.value = undefined)}
        />
      )}
      {added.value !== undefined && (
        <SecretDialog webhook={added.value} onClose={() => (added.value = undefined)} />
      )}
    </Section>
  );
}

function waitingText(count: number): string {
  // Given up, after many attempts.
  if (count === 0) return "Nothing waits for it.";
  return count === 1 ? "One event waits and is sent again." : `${count} events wait and are sent again.`;
}

interface ChangeDialogProps {
  webhook: Webhook;
  onSubmit: (webhook: Webhook, wish: WebhookWish) => Promise<void>;
  onClose: () => void;
}

function ChangeDialog({ webhook, onSubmit, onClose }: ChangeDialogProps) {
  return (
    <Dialog title="Change the webhook" onClose={onClose}>
      <p class="quiet">
        {webhook.stopped
          ? "Its receiver answered that it is gone; saved, it is told again. The secret stays."
          : "The secret stays, and what waits goes to the new address."}
      </p>
      <WebhookForm
        label="Address"
        webhook={webhook}
        submitLabel="Save"
        onSubmit={(wish) => onSubmit(webhook, wish)}
      />
    </Dialog>
  );
}

function SecretDialog({ webhook, onClose }: { webhook: NewWebhook; onClose: () => void }) {
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
