/**
 * The events that a webhook may be told of, by the API's names, to which the compiler holds them. Called by webhook-form and
 * webhook-row.
 */
import type { ShoalClient } from "../../client/client.ts";

export type WebhookEvent = NonNullable<Parameters<ShoalClient["addWebhook"]>[1]>[number];

const EVENTS: Record<WebhookEvent, true> = {
  transfer_started: true,
  transfer_complete: true,
  transfer_failed: true,
  transfer_cancelled: true,
  file_shared: true,
  file_deleted: true,
  peer_connected: true,
  peer_disconnected: true,
};

export const WEBHOOK_EVENTS = Object.keys(EVENTS) as WebhookEvent[];
