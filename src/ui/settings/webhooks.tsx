/** Addresses that are told of events: list, add, remove; the secret is shown once. Called by settings-screen. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { ShoalClient } from "../../client/client.ts";
import { Button } from "../elements/button.tsx";
import { Dialog } from "../elements/dialog.tsx";
import { Field } from "../elements/field.tsx";
import { countText } from "../elements/quantities.ts";
import { useApp } from "../state/app-state.ts";
import { messageOf } from "../state/toasts.ts";
import { Section } from "./section.tsx";
import { WEBHOOK_EVENTS, type WebhookEvent } from "./webhook-events.ts";
import "./webhooks.css";

type Webhook = Awaited<ReturnType<ShoalClient["webhooks"]>>["webhooks"][number];
type NewWebhook = Awaited<ReturnType<ShoalClient["addWebhook"]>>;

export function Webhooks() {
  const { client, toasts } = useApp();
  const list = useSignal<readonly Webhook[] | undefined>(undefined);
  const added = useSignal<NewWebhook | undefined>(undefined);

  async function refresh(): Promise<void> {
    list.value = (await client.webhooks()).webhooks;
  }
  useEffect(() => void refresh().catch(toasts.showError), []);

  async function remove({ id, url, events }: Webhook): Promise<void> {
    try {
      await client.removeWebhook(id);
      const again = () => client.addWebhook(url, events).then(shown, toasts.showError);
      toasts.show({ text: `${url} is told no more.`, action: { label: "Undo", run: () => void again() } });
      await refresh();
    } catch (error) {
      toasts.showError(error);
    }
  }

  /** Added again it has a new secret, which must be seen. */
  async function shown(webhook: NewWebhook): Promise<void> {
    added.value = webhook;
    await refresh().catch(toasts.showError);
  }

  return (
    <Section
      title="Webhooks"
      about="Addresses that get a signed POST when something happens. From a page they are best effort: they go out while it is open, and the receiver must allow this origin (CORS)."
    >
      <ul class="webhooks-list" hidden={(list.value?.length ?? 0) === 0}>
        {list.value?.map((webhook) => (
          <li key={webhook.id}>
            <div>
              <bdi>{webhook.url}</bdi>
              <p class="quiet small">
                {webhook.events.length === WEBHOOK_EVENTS.length ? "All events" : webhook.events.join(", ")}
                {webhook.stopped && " · stopped: the receiver answered 410 Gone"}
                {webhook.source === "settings" && " · set by a start flag"}
              </p>
            </div>
            {webhook.source === "api" && (
              <Button
                weight="bare"
                icon="remove"
                iconOnly
                label={`Remove ${webhook.url}`}
                onClick={() => void remove(webhook)}
              >
                Remove
              </Button>
            )}
          </li>
        ))}
      </ul>
      <AddWebhook onAdded={(webhook) => void shown(webhook)} />
      {added.value !== undefined && (
        <SecretDialog webhook={added.value} onClose={() => (added.value = undefined)} />
      )}
    </Section>
  );
}

function AddWebhook({ onAdded }: { onAdded: (webhook: NewWebhook) => void }) {
  const { client } = useApp();
  const url = useSignal("");
  const events = useSignal<ReadonlySet<WebhookEvent>>(new Set(WEBHOOK_EVENTS));
  const error = useSignal<string | undefined>(undefined);
  const isBusy = useSignal(false);

  const toggle = (event: WebhookEvent, isOn: boolean) => {
    const next = new Set(events.value);
    if (isOn) next.add(event);
    else next.delete(event);
    events.value = next;
  };

  async function add(): Promise<void> {
    error.value = undefined;
    if (!URL.canParse(url.value.trim())) error.value = "An address such as https://example.org/hook.";
    else if (events.value.size === 0) error.value = "Choose at least one event.";
    if (error.value !== undefined) return;
    isBusy.value = true;
    try {
      onAdded(await client.addWebhook(url.value.trim(), [...events.value]));
      url.value = "";
    } catch (caught) {
      error.value = messageOf(caught);
    } finally {
      isBusy.value = false;
    }
  }

  return (
    <form
      class="webhooks-add"
      onSubmit={(event) => {
        event.preventDefault();
        void add();
      }}
    >
      <Field
        label="Tell this address"
        value={url.value}
        onInput={(text) => (url.value = text)}
        placeholder="https://example.org/hook"
        exact
        error={error.value}
        hint="A public address: those of this machine and of local networks are refused. Takes effect at once."
      />
      <details>
        <summary>
          of{" "}
          {events.value.size === WEBHOOK_EVENTS.length ? "all events" : countText(events.value.size, "event")}
        </summary>
        <fieldset>
          <legend class="unseen">Events</legend>
          {WEBHOOK_EVENTS.map((event) => (
            <label key={event}>
              <input
                type="checkbox"
                checked={events.value.has(event)}
                onChange={({ currentTarget }) => toggle(event, currentTarget.checked)}
              />
              {event}
            </label>
          ))}
        </fieldset>
      </details>
      <Button type="submit" busy={isBusy.value} disabled={url.value.trim() === ""}>
        Add
      </Button>
    </form>
  );
}

function SecretDialog({ webhook, onClose }: { webhook: NewWebhook; onClose: () => void }) {
  const { toasts } = useApp();
  const copy = () =>
    navigator.clipboard
      .writeText(webhook.secret)
      .then(() => toasts.show({ text: "The secret is on the clipboard." }), toasts.showError);
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
