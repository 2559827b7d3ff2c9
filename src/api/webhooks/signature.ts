/** Secrets and signatures of webhooks, by Standard Webhooks 1.0. Called by webhooks. */
import { base64pad } from "multiformats/bases/base64";
import { Webhook } from "standardwebhooks";
import { WEBHOOK_SECRET_BYTES } from "../limits.ts";

export function newSecret(): string {
  return `whsec_${base64pad.baseEncode(crypto.getRandomValues(new Uint8Array(WEBHOOK_SECRET_BYTES)))}`;
}

/** The three headers that let the receiver check who sent the body, and when. */
export function sign(secret: string, id: string, sentAt: Date, body: string): Record<string, string> {
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(sentAt.getTime() / 1000)),
    "webhook-signature": signer(secret).sign(id, sentAt, body),
  };
}

/** A secret that the user chose need not be base64: without the prefix its characters are the key. */
function signer(secret: string): Webhook {
  return secret.startsWith("whsec_")
    ? new Webhook(secret)
    : new Webhook(new TextEncoder().encode(secret), { format: "raw" });
}
