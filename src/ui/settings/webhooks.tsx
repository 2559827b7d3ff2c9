/** Addresses that are told of events: list, add, change, remove; the secret is shown once. Called by settings-screen. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useApp } from "../state/app-state.ts";
import { poll } from "../state/poll.ts";
import { WEBHOOKS_INTERVAL_MS } from "./limits.ts";
import { Section } from "./section.tsx";
import type { Webhook } from "./settings-state.ts";
import { ChangeDialog, type NewWebhook, SecretDialog } from "./webhook-dialogs.tsx";
import { WebhookForm, type WebhookWish } from "./webhook-form.tsx";
import { WebhookRow } from "./webhook-row.tsx";
import "./webhooks.css";

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

  const changed = changing.value;
  return (
    <Section
      name="webhooks"
      title="Webhooks"
      about="Addresses that get a signed POST when something happens. From a page they are best effort: they go out while it is open, and the receiver must allow this origin (CORS)."
    >
      <ul class="webhooks-list" hidden={list.value.length === 0}>
        {list.value.map((webhook) => (
          <WebhookRow
            key={webhook.id}
            webhook={webhook}
            onChange={() => (changing.value = webhook)}
            onRemove={() => void remove(webhook)}
          />
        ))}
      </ul>
      <WebhookForm
        label="Tell this address"
        submitLabel="Add"
        onSubmit={async ({ url, events }) => shown(await client.addWebhook(url, events))}
      />
      {changed !== undefined && (
        <ChangeDialog
          webhook={changed}
          onSubmit={(wish) => change(changed, wish)}
          onClose={() => (changing.value = undefined)}
        />
      )}
      {added.value !== undefined && (
        <SecretDialog webhook={added.value} onClose={() => (added.value = undefined)} />
      )}
    </Section>
  );
}
