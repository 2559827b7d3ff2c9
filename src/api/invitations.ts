/**
 * Asking one peer to download a file, what came of it, and what peers ask of this node. Called by app; calls the node.
 */
import { createRoute, z } from "@hono/zod-openapi";
import type { Invitation as NodeInvitation } from "../sharing/invitations/invitations.ts";
import type { SentInvitation as NodeSentInvitation } from "../sharing/invitations/sent-invitations.ts";
import type { SharingNode } from "../sharing/sharing-node.ts";
import { PeerIdText } from "./addresses.ts";
import { FILE_ID, PEER_ID } from "./examples.ts";
import { Bytes, Done, FileId, FileIdInBody, SentStatus, Timestamp, UuidInPath } from "./fields.ts";
import { type ApiHono, jsonAnswer, jsonBody, KEY_REQUIRED, ListQuery, pageOf, Total } from "./hono-app.ts";
import type { NodePorts } from "./ports.ts";
import { BODY_REFUSALS, refusals } from "./refusals.ts";

const PeerId = z.string().openapi({ description: "libp2p peer id" });

const InvitationRequest = z
  .object({ peer_id: PeerIdText.openapi({ description: "libp2p peer id" }), file_id: FileIdInBody })
  .openapi("InvitationRequest");

const InvitationId = z.string().openapi({ format: "uuid" });

const COMMON = {
  id: InvitationId,
  peer_id: PeerId,
  peer_name: z.string().nullable().openapi({
    description: "What the peer says that it is called; null where it is not connected or says nothing",
  }),
  file_id: FileId,
  name: z.string(),
  size: Bytes,
};

const Invitation = z.object({ ...COMMON, received_at: Timestamp }).openapi("Invitation");

const SentInvitation = z
  .object({ ...COMMON, sent_at: Timestamp, status: SentStatus })
  .openapi("SentInvitation");

export type InvitationRequest = z.input<typeof InvitationRequest>;
export type Invitation = z.infer<typeof Invitation>;
export type SentInvitation = z.infer<typeof SentInvitation>;

export function invitationRoutes(app: ApiHono, { node }: NodePorts): void {
  const inviteRoute = createRoute({
    method: "post",
    path: "/api/v1/invitations",
    operationId: "sendInvitation",
    summary: "Ask a peer to download a file that is here",
    description:
      "It gets no byte of the file unless somebody there agrees. 502 where it can't be reached or takes no more.",
    security: KEY_REQUIRED,
    request: jsonBody(InvitationRequest, { peer_id: PEER_ID, file_id: FILE_ID }),
    responses: {
      ...jsonAnswer(Done.extend({ invitation_id: InvitationId }), "The peer was asked"),
      ...refusals(...BODY_REFUSALS, 404, 502),
    },
  });
  app.openapi(inviteRoute, async (c) => {
    const { peer_id, file_id } = c.req.valid("json");
    const { id } = await node.invite(peer_id, file_id, c.req.raw.signal);
    return c.json({ success: true as const, message: "Peer invited", invitation_id: id }, 200);
  });

  const listRoute = createRoute({
    method: "get",
    path: "/api/v1/invitations",
    operationId: "listInvitations",
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

  const sentRoute = createRoute({
    method: "get",
    path: "/api/v1/invitations/sent",
    operationId: "listSentInvitations",
    summary: "What this node has asked peers to download, and what came of it; oldest first",
    description: "As far as the peers tell: of one that leaves it alone nothing is ever heard.",
    security: KEY_REQUIRED,
    request: { query: ListQuery },
    responses: {
      ...jsonAnswer(
        z.object({ invitations: z.array(SentInvitation), total: Total }),
        "The invitations that were sent",
      ),
      ...refusals(400),
    },
  });
  app.openapi(sentRoute, (c) => {
    const all = node.sentInvitations();
    const invitations = pageOf(all, c.req.valid("query")).map((one) => sentBody(node, one));
    return c.json({ invitations, total: all.length }, 200);
  });

  const dismissRoute = createRoute({
    method: "delete",
    path: "/api/v1/invitations/{invitation_id}",
    operationId: "dismissInvitation",
    summary: "Forget an invitation; its peer is not told",
    security: KEY_REQUIRED,
    request: { params: z.object({ invitation_id: UuidInPath }) },
    responses: { ...jsonAnswer(Done, "Forgotten"), ...refusals(...BODY_REFUSALS, 404) },
  });
  app.openapi(dismissRoute, (c) => {
    node.dismissInvitation(c.req.valid("param").invitation_id);
    return c.json({ success: true as const, message: "Invitation dismissed" }, 200);
  });
}

function invitationBody(node: SharingNode, invitation: NodeInvitation): Invitation {
  return { ...commonBody(node, invitation), received_at: invitation.receivedAt.toISOString() };
}

function sentBody(node: SharingNode, invitation: NodeSentInvitation): SentInvitation {
  const { sentAt, status } = invitation;
  return { ...commonBody(node, invitation), sent_at: sentAt.toISOString(), status };
}

function commonBody(node: SharingNode, invitation: NodeInvitation | NodeSentInvitation) {
  const { id, peerId, fileId, name, sizeBytes } = invitation;
  const peer = node.peers().find((known) => known.peerId === peerId);
  return { id, peer_id: peerId, peer_name: peer?.name ?? null, file_id: fileId, name, size: sizeBytes };
}
