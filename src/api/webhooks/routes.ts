/** The webhooks of the node over the API: /api/v1/node/webhooks. Called by app; calls webhooks. */
import { createRoute, z } from "@hono/zod-openapi";
import { eventSchema } from "../event-schema.ts";
import { FILE_ID } from "../examples.ts";
import { Done, Timestamp } from "../fields.ts";
import { type ApiHono, jsonAnswer, jsonBody, KEY_REQUIRED } from "../hono-app.ts";
import { MAX_SERVER_URL_CHARS } from "../limits.ts";
import { WEBHOOK_EVENTS } from "../ports.ts";
import { BODY_REFUSALS, refusals } from "../refusals.ts";
import type { Webhook, Webhooks } from "./webhooks.ts";

const Events = z.array(z.enum(WEBHOOK_EVENTS)).min(1);

const WebhookBody = z
  .object({
    id: z.string(),
    url: z.string(),
    events: Events,
    created_at: Timestamp,
    source: z.enum(["settings", "api"]),
    stopped: z.boolean().openapi({ description: "The receiver answered 410 Gone" }),
    waiting: z.number().int().openapi({ description: "Deliveries that the receiver has not taken yet" }),
    failure: z
      .string()
      .nullable()
      .openapi({ description: "Why the last one failed; null once one is taken" }),
  })
  .openapi("Webhook");

const NewWebhook = WebhookBody.extend({
  secret: z.string().openapi({ description: "Checks the signature (Standard Webhooks); shown once" }),
}).openapi("NewWebhook");

const WebhookRequest = z.object({
  url: z.string().min(1).max(MAX_SERVER_URL_CHARS),
  events: Events.optional().openapi({ description: "Default: all" }),
});

const WebhookEvent = eventSchema(WEBHOOK_EVENTS).openapi("WebhookEvent");

const SHARED = {
  event: "file_shared",
  timestamp: "2026-11-21T09:30:00.000Z",
  data: { file_id: FILE_ID, name: "hello.txt", size: 11, chunks: 1 },
};

const SignedHeaders = z.object({
  "webhook-id": z.string().openapi({ description: "The same at every attempt" }),
  "webhook-timestamp": z.string().openapi({ description: "When it was sent: seconds since 1970" }),
  "webhook-signature": z.string().openapi({ description: "`v1,` and an HMAC-SHA256 in base64" }),
});

const WebhookId = z.object({ webhook_id: z.string() });

export type WebhookBody = z.infer<typeof WebhookBody>;
export type NewWebhook = z.infer<typeof NewWebhook>;

export function webhookRoutes(app: ApiHono, webhooks: Webhooks): void {
  app.openAPIRegistry.registerWebhook({
    method: "post",
    path: "event",
    operationId: "receiveEvent",
    summary: "What the node sends to an address, signed as Standard Webhooks are",
    security: [],
    request: {
      headers: SignedHeaders,
      body: { required: true, content: { "application/json": { schema: WebhookEvent, example: SHARED } } },
    },
    responses: {
      "2XX": { description: "Taken" },
      410: { description: "Nothing more is sent" },
      default: { description: "Sent again, for about a day" },
    },
  });

  const listRoute = createRoute({
    method: "get",
    path: "/api/v1/node/webhooks",
    operationId: "listWebhooks",
    summary: "Webhooks of the node",
    security: KEY_REQUIRED,
    responses: { ...jsonAnswer(z.object({ webhooks: z.array(WebhookBody) }), "The webhooks"), ...refusals() },
  });
  app.openapi(listRoute, (c) => c.json({ webhooks: webhooks.list().map(webhookBody) }, 200));

  const addRoute = createRoute({
    method: "post",
    path: "/api/v1/node/webhooks",
    operationId: "addWebhook",
    summary: "Send events to a public address",
    security: KEY_REQUIRED,
    request: jsonBody(WebhookRequest, { url: "https://example.org/shoal", events: ["transfer_complete"] }),
    responses: {
      201: { description: "Added", content: { "application/json": { schema: NewWebhook } } },
      ...refusals(...BODY_REFUSALS, 409, 507),
    },
  });
  app.openapi(addRoute, async (c) => {
    const { url, events } = c.req.valid("json");
    const webhook = await webhooks.add(url, events);
    return c.json({ ...webhookBody(webhook), secret: webhooks.secretOf(webhook.id) }, 201);
  });

  const changeRoute = createRoute({
    method: "patch",
    path: "/api/v1/node/webhooks/{webhook_id}",
    operationId: "changeWebhook",
    summary: "Another address, or other events; the secret stays, and one that was stopped is told again",
    security: KEY_REQUIRED,
    request: {
      params: WebhookId,
      ...jsonBody(WebhookRequest.partial(), { url: "https://example.org/shoal" }),
    },
    responses: {
      ...jsonAnswer(WebhookBody, "The webhook as it is now"),
      ...refusals(...BODY_REFUSALS, 404, 409, 507),
    },
  });
  app.openapi(changeRoute, async (c) => {
    const webhook = await webhooks.change(c.req.valid("param").webhook_id, c.req.valid("json"));
    return c.json(webhookBody(webhook), 200);
  });

  const deleteRoute = createRoute({
    method: "delete",
    path: "/api/v1/node/webhooks/{webhook_id}",
    operationId: "removeWebhook",
    summary: "Stop sending to an address",
    security: KEY_REQUIRED,
    request: { params: WebhookId },
    responses: {
      ...jsonAnswer(Done, "Removed"),
      ...refusals(...BODY_REFUSALS, 404, 409, 507),
    },
  });
  app.openapi(deleteRoute, async (c) => {
    await webhooks.remove(c.req.valid("param").webhook_id);
    return c.json({ success: true as const, message: "Webhook removed" }, 200);
  });
}

function webhookBody({
  id,
  url,
  events,
  createdAt,
  source,
  isStopped,
  waiting,
  failure,
}: Webhook): z.infer<typeof WebhookBody> {
  return {
    id,
    url,
    events: [...events],
    created_at: createdAt.toISOString(),
    source,
    stopped: isStopped,
    waiting,
    failure: failure ?? null,
  };
}
