/**
 * Webhooks of a node: who is told of which events. Made by the two mains, listed and changed by api/webhooks
 * routes; the durable queue and the sending live beside it. Source: Standard Webhooks 1.0.
 */
import type { NodeEvents } from "../../sharing/events.ts";
import type { Clock, Records } from "../../sharing/ports.ts";
import type { ApiLog, WebhookEventName } from "../ports.ts";

export interface Webhook {
  id: string;
  url: string;
  events: WebhookEventName[];
  createdAt: Date;
  /** `settings`: from a flag, environment or file; it can't be removed over the API. */
  source: "settings" | "api";
  /** Set when the receiver answered 410 Gone. */
  stopped: boolean;
}

export interface WebhookPorts {
  records: Records;
  events: NodeEvents;
  clock: Clock;
  log: ApiLog;
  deliver: DeliverWebhook;
  /** Webhook given by flag, environment or file: its target may be private. */
  configured?: { url: string; events?: readonly WebhookEventName[]; secret?: string };
  /** Lets webhooks set over the API reach private addresses. */
  allowPrivate: boolean;
}

/**
 * Sends one POST and gives the answer. Unless `allowPrivate`, the host resolves the name, refuses every
 * address that `isPublicAddress` does not accept, and connects to an address so checked. Follows no redirect.
 */
export type DeliverWebhook = (
  url: string,
  init: { method: "POST"; headers: Record<string, string>; body: string; redirect: "manual" },
  options: { signal: AbortSignal; allowPrivate: boolean },
) => Promise<Response>;

export interface Webhooks {
  /** Loads what waits from an earlier run and begins to deliver. */
  start(): Promise<void>;
  /** Ends deliveries under way, which stay in the queue, and settles when nothing runs. */
  stop(): Promise<void>;
  list(): Webhook[];
  /** @throws ApiError 400, 403 (private target), 409 (too many) */
  add(url: string, events: readonly WebhookEventName[]): Promise<{ webhook: Webhook; secret: string }>;
  /** @throws ApiError 404, 409 (from the settings) */
  remove(id: string): Promise<void>;
}

export declare function createWebhooks(ports: WebhookPorts): Webhooks;
