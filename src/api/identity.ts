/**
 * The node's private key, to take it to another host or bring it back: GET and PUT /api/v1/identity. Only where the host
 * hands its key out (a page does; a headless node's key is a file of its owner). Called by app; calls the host's Identity.
 */
import { createRoute, z } from "@hono/zod-openapi";
import { base64pad } from "multiformats/bases/base64";
import { type ApiHono, jsonAnswer, jsonBody, KEY_REQUIRED } from "./hono-app.ts";
import { MAX_PRIVATE_KEY_CHARS } from "./limits.ts";
import type { Identity, NodeIdentity } from "./ports.ts";
import { BODY_REFUSALS, refusals } from "./refusals.ts";

const DESCRIPTION = "libp2p's protobuf form, in base64; whoever has it can be this node";

const PrivateKey = z
  .string()
  .min(1)
  .max(MAX_PRIVATE_KEY_CHARS)
  .transform((text, context) => {
    try {
      return base64pad.baseDecode(text);
    } catch {
      context.addIssue({ code: "custom", message: "is not base64" });
      return z.NEVER;
    }
  })
  .openapi({ type: "string", format: "byte", description: DESCRIPTION });

const IdentityBody = z
  .object({
    node_id: z.string().openapi({ description: "libp2p peer id of that key" }),
    private_key: z.string().openapi({ format: "byte", description: DESCRIPTION }),
  })
  .openapi("Identity");

const Replaced = z
  .object({ node_id: z.string(), takes_effect: z.literal("next_start") })
  .openapi("NewIdentity");

export type IdentityBody = z.infer<typeof IdentityBody>;
export type ReplacedIdentity = z.infer<typeof Replaced>;

export function identityRoutes(app: ApiHono, identity: Identity): void {
  const readRoute = createRoute({
    method: "get",
    path: "/api/v1/identity",
    operationId: "getIdentity",
    summary: "The node's private key",
    security: KEY_REQUIRED,
    responses: { ...jsonAnswer(IdentityBody, "Keep it secret"), ...refusals() },
  });
  app.openapi(readRoute, async (c) => c.json(identityBody(await identity.read()), 200));

  const replaceRoute = createRoute({
    method: "put",
    path: "/api/v1/identity",
    operationId: "replaceIdentity",
    summary: "Be another node from the next start on",
    security: KEY_REQUIRED,
    request: jsonBody(z.object({ private_key: PrivateKey }), { private_key: "what GET told" }),
    responses: { ...jsonAnswer(Replaced, "Kept"), ...refusals(...BODY_REFUSALS) },
  });
  app.openapi(replaceRoute, async (c) => {
    const { nodeId } = await identity.replace(c.req.valid("json").private_key);
    return c.json({ node_id: nodeId, takes_effect: "next_start" as const }, 200);
  });
}

function identityBody({ nodeId, privateKey }: NodeIdentity): IdentityBody {
  return { node_id: nodeId, private_key: base64pad.baseEncode(privateKey) };
}
