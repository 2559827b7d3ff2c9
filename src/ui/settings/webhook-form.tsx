/** The address of a webhook and what it is told of, to add one or to change it. Called by webhooks and their dialogs. */
import { useSignal } from "@preact/signals";
import { Button } from "../elements/button.tsx";
import { Field } from "../elements/field.tsx";
import { countText } from "../elements/quantities.ts";
import { messageOf } from "../state/toasts.ts";
import { WEBHOOK_EVENTS, type WebhookEvent } from "./webhook-events.ts";
import "./webhook-form.css";

export interface WebhookWish {
  url: string;
  events: WebhookEvent[];
}

interface WebhookFormProps {
  label: string;
  /** What it is now; a new one without. */
  webhook?: { url: string; events: readonly WebhookEvent[] };
  submitLabel: string;
  /** What it throws is told beneath the address; settled, a new one's address makes room for the next. */
  onSubmit: (wish: WebhookWish) => Promise<void>;
}

export function WebhookForm({ label, webhook, submitLabel, onSubmit }: WebhookFormProps) {
  const url = useSignal(webhook?.url ?? "");
  const events = useSignal<ReadonlySet<WebhookEvent>>(new Set(webhook?.events ?? WEBHOOK_EVENTS));
  const error = useSignal<string | undefined>(undefined);
  const isBusy = useSignal(false);

  const toggle = (event: WebhookEvent, isOn: boolean) => {
    const next = new Set(events.value);
    if (isOn) next.add(event);
    else next.delete(event);
    events.value = next;
  };

  async function submit(): Promise<void> {
    error.value = undefined;
    if (!URL.canParse(url.value.trim())) error.value = "An address such as https://example.org/hook.";
    else if (events.value.size === 0) error.value = "Choose at least one event.";
    if (error.value !== undefined) return;
    const sent = url.value;
    isBusy.value = true;
    try {
      await onSubmit({ url: sent.trim(), events: [...events.value] });
      if (webhook === undefined && url.value === sent) url.value = "";
    } catch (caught) {
      error.value = messageOf(caught);
    } finally {
      isBusy.value = false;
    }
  }

  return (
    <form
      class="webhook-form"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <Field
        label={label}
        value={url.value}
        onInput={(text) => (url.value = text)}
        placeholder="https://example.org/hook"
        exact
        error={error.value}
        hint="A public address: those of this machine and of local networks are refused. Takes effect at once."
      />
      <details open={webhook !== undefined}>
        <summary>
          Tell it of{" "}
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
      <Button type="submit" weight={webhook === undefined ? "plain" : "main"} busy={isBusy.value}>
        {submitLabel}
      </Button>
    </form>
  );
}
