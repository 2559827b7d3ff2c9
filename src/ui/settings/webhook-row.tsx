/** One address that is told of events: of which, and whether it took them. Called by webhooks. */
import { Button } from "../elements/button.tsx";
import { sentence } from "../state/sentence.ts";
import type { Webhook } from "./settings-state.ts";
import { WEBHOOK_EVENTS } from "./webhook-events.ts";

interface WebhookRowProps {
  webhook: Webhook;
  onChange: () => void;
  onRemove: () => void;
}

export function WebhookRow({ webhook, onChange, onRemove }: WebhookRowProps) {
  return (
    <li>
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
          <Button weight="bare" label={`Change ${webhook.url}`} onClick={onChange}>
            Change
          </Button>
          <Button weight="bare" icon="remove" iconOnly label={`Remove ${webhook.url}`} onClick={onRemove}>
            Remove
          </Button>
        </div>
      )}
    </li>
  );
}

function waitingText(count: number): string {
  // Given up, after many attempts.
  if (count === 0) return "Nothing waits for it.";
  return count === 1 ? "One event waits and is sent again." : `${count} events wait and are sent again.`;
}
