/** Addresses that are told of events: list, add, change, remove; the secret is shown once. Called by settings-screen. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useApp } from "../state/app-state.ts";
import { poll } from "../state/poll.ts";
import { WEBHOOKS_INTERVAL_MS } from "./limits.ts";
import { Section } from "./section.tsx";
import type { Webhook } from "./settings-state.ts";
import { ChangeDialog, type NewWebhook, RemoveDialog, SecretDialog } from "./webhook-dialogs.tsx";
import { WebhookForm, type WebhookWish } from "./webhook-form.tsx";
import { WebhookRow } from "./webhook-row.tsx";
import "./webhooks.css";

export function Webhooks({ first }: { first: readonly Webhook[] }) {
  const { client, toasts } = useApp();
  const list = useSignal(first);
  const added = useSignal<NewWebhook | undefined>(undefined);
  const changing = useSignal<Webhook | undefined>(undefined);
  const removing = useSignal<Webhook | undefined>(undefined);
  useEffect(() => {
    const stop = new AbortController();
    poll(refresh, WEBHOOKS_INTERVAL_MS, () => list.value.length > 0, stop.signal);
    return () => stop.abort();
  }, []);

  async function refresh(): Promise<void> {
    list.value = (await client.webhooks()).webhooks;
  }

  async function remove({ id }: Webhook): Promise<void> {
    await client.removeWebhook(id);
    await refresh().catch(toasts.showError);
  }

  async function change({ id }: Webhook, wish: WebhookWish): Promise<void> {
    await client.changeWebhook(id, wish);
    changing.value = undefined;
    await refresh().catch(toasts.showError);
  }

  async function add({ url, events }: WebhookWish): Promise<void> {
    added.value = await client.addWebhook(url, events);
    await refresh().catch(toasts.showError);
  }

  const [changed, removed] = [changing.value, removing.value];
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
            onRemove={() => (removing.value = webhook)}
          />
        ))}
      </ul>
      <WebhookForm label="Tell this address" submitLabel="Add" onSubmit={add} />
      {changed !== undefined && (
        <ChangeDialog
          webhook={changed}
          onSubmit={(wish) => change(changed, wish)}
          onClose={() => (changing.value = undefined)}
        />
      )}
      {removed !== undefined && (
        <RemoveDialog
          webhook={removed}
          act={() => remove(removed)}
          onClose={() => (removing.value = undefined)}
        />
      )}
      {added.value !== undefined && (
        <SecretDialog webhook={added.value} onClose={() => (added.value = undefined)} />
      )}
    </Section>
  );
}
