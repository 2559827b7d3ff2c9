/**
 * Asking one peer to download a file, and what peers ask of this node. Called by app; calls the node.
 */
import { createRoute, z } from "@hono/zod-openapi";
import type { Invitation as NodeInvitation } from "../sharing/invitations.ts";
import type { SharingNode } from "../sharing/node.ts";
import { PeerIdText } from "./addresses.ts";
import { Bytes, Done, FileId, FileIdInBody, Timestamp } from "./fields.ts";
import {
  type ApiHono,
  BODY_REFUSALS,
  jsonAnswer,
  jsonBody,
  KEY_REQUIRED,
  ListQuery,
  pageOf,
  refusals,
  Total,
} from "./hono-app.ts";
import type { NodePorts } from "./ports.ts";

const PeerId = z.string().openapi({ description: "libp2p peer id" });

const InvitationRequest = z
  .object({ peer_id: PeerIdText.openapi({ description: "libp2p peer id" }), file_id: FileIdInBody })
  .openapi("InvitationRequest");

const Invitation = z
  .object({
    id: z.string().openapi({ format: "uuid" }),
    peer_id: PeerId,
    peer_name: z.string().nullable().openapi({
      description: "What the peer says that it is called; null where it is not connected or says nothing",
    }),
    file_id: FileId,
    name: z.string(),
    size: Bytes,
    received_at: Timestamp,
  })
  .openapi("Invitation");

export type InvitationRequest = z.input<typeof InvitationRequest>;
export type Invitation = z.infer<typeof Invitation>;

export function invitationRoutes(app: ApiHono, { node }: NodePorts): void {
  const inviteRoute = createRoute({
    method: "post",
    path: "/api/v1/invitations",
    summary: "Ask a peer to download a file that is here",
    description:
      "It gets no byte of the file unless somebody there agrees. 502 where it can't be reached or takes no more.",
    security: KEY_REQUIRED,
    request: jsonBody(InvitationRequest),
    responses: { ...jsonAnswer(Done, "The peer was asked"), ...refusals(...BODY_REFUSALS, 404, 502) },
  });
  app.openapi(inviteRoute, async (c) => {
    const { peer_id, file_id } = c.req.valid("json");
    await node.invite(peer_id, file_id, c.req.raw.signal);
    return c.json({ success: true as const, message: "Peer invited" }, 200);
  });

  const listRoute = createRoute({
    method: "get",
    path: "/api/v1/invitations",
    summary: "What peers ask this node to download, until it does or they are dismissed; oldest first",
    security: KEY_REQUIRED,
    request: { query: ListQuery },
    responses: {
      ...jsonAnswer(z.object({ invitations: z.array(Invitation), total: Total }), "The invitations"),
      ...refusals(400),
    },
  });
  app.openapi(listRoute, (c) => {
    const all = node.invitations();
    const invitations = pageOf(all, c.req.valid("query")).map((one) => invitationBody(node, one));
    return c.json({ invitations, total: all.length }, 200);
  });

  const dismissRoute = createRoute({
    method: "delete",
    path: "/api/v1/invitations/{invitation_id}",
    summary: "Forget an invitation; its peer is not told",
    security: KEY_REQUIRED,
    request: { params: z.object({ invitation_id: z.string().openapi({ format: "uuid" }) }) },
    responses: { ...jsonAnswer(Done, "Forgotten"), ...refusals(...BODY_REFUSALS, 404) },
  });
  app.openapi(dismissRoute, (c) => {
    node.dismissInvitation(c.req.valid("param").invitation_id);
    return c.json({ success: true as const, message: "Invitation dismissed" }, 200);
  });
}

function invitationBody(node: SharingNode, invitation: NodeInvitation): Invitation {
  const { id, peerId, fileId, name, sizeBytes, receivedAt } = invitation;
  return {
    id,
    peer_id: peerId,
    peer_name: node.peers().find((peer) => peer.peerId === peerId)?.name ?? null,
    file_id: fileId,
    name,
    size: sizeBytes,
    received_at: receivedAt.toISOString(),
  };
}
