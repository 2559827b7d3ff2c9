/**
 * What happens on the node, as the OpenAPI document tells it: the data of server-sent events and the bodies of webhooks.
 * Called by events and webhooks/routes; sharing/events is the source.
 */
import { z } from "@hono/zod-openapi";
import type { NodeEventData, NodeEventName } from "../sharing/events.ts";
import { Bytes, BytesPerSecond, FileId, Fraction, SentStatus, Timestamp } from "./fields.ts";

const Count = z.int().min(0);
const transfer = { transfer_id: z.string().openapi({ format: "uuid" }), file_id: FileId };
const invitation = {
  invitation_id: z.string().openapi({ format: "uuid" }),
  peer_id: z.string(),
  peer_name: z.string().nullable().openapi({ description: "What the peer says that it is called" }),
  file_id: FileId,
  name: z.string(),
  size: Bytes,
};

const EVENT_DATA = {
  transfer_started: z.object(transfer),
  transfer_complete: z.object({
    ...transfer,
    size: Bytes,
    duration: Count.openapi({ description: "Seconds" }),
  }),
  transfer_failed: z.object({ ...transfer, error: z.string() }),
  transfer_cancelled: z.object(transfer),
  peer_connected: z.object({
    peer_id: z.string(),
    address: z.string().openapi({ description: "host:port" }),
  }),
  peer_disconnected: z.object({ peer_id: z.string() }),
  file_shared: z.object({ file_id: FileId, name: z.string(), size: Bytes, chunks: z.int().min(1) }),
  file_deleted: z.object({ file_id: FileId }),
  invitation_received: z.object(invitation),
  invitation_answered: z.object({ ...invitation, status: SentStatus }),
  transfer_progress: z.object({
    ...transfer,
    status: z.string(),
    progress: Fraction.openapi({ description: "Verified share of the file, 0 to 1" }),
    speed: BytesPerSecond,
    peers: Count,
    estimated_completion: Timestamp.nullable().openapi({ description: "null while unknown" }),
  }),
  file_unlisted: z.object({ file_id: FileId }),
  transfer_interrupted: z.object({ ...transfer, reason: z.string() }),
} satisfies { [E in NodeEventName]: z.ZodType<NodeEventData[E]> };

/** One of these events, whose names `names` are. */
export function eventSchema(names: readonly NodeEventName[]) {
  return z.union(
    names.map((name) => z.object({ event: z.literal(name), timestamp: Timestamp, data: EVENT_DATA[name] })),
  );
}
