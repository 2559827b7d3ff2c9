/** Secrets and signatures of webhooks. Called by webhooks. Source: Standard Webhooks 1.0, whose `v1` is HMAC-SHA256 in base64. */
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { base64OfBytes, bytesOfBase64 } from "../../vx/base64.ts";
import { WEBHOOK_SECRET_BYTES } from "../limits.ts";

const PREFIX = "whsec_";

export function newSecret(): string {
  return PREFIX + base64OfBytes(crypto.getRandomValues(new Uint8Array(WEBHOOK_SECRET_BYTES)));
}

/** The three headers that let the receiver check who sent the body, and when. */
export function sign(secret: string, id: string, sentAt: Date, body: string): Record<string, string> {
  const seconds = Math.floor(sentAt.getTime() / 1000);
  const signed = hmac(sha256, keyOf(secret), new TextEncoder().encode(`${id}.${seconds}.${body}`));
  return {
    "webhook-id": id,
    "webhook-timestamp": String(seconds),
    "webhook-signature": `v1,${base64OfBytes(signed)}`,
  };
}

/** A secret that the user chose need not be base64: without the prefix its characters are the key. */
function keyOf(secret: string): Uint8Array {
  if (!secret.startsWith(PREFIX)) return new TextEncoder().encode(secret);
  return bytesOfBase64(secret.slice(PREFIX.length).replace(/=*$/, ""));
}
