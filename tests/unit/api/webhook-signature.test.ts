/** Signatures of webhooks, against the library that their receivers have. */
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { expect, it } from "vitest";
import { newSecret, sign } from "../../../src/api/webhooks/signature.ts";

const ID = "msg_1";
const sentAt = new Date(1_700_000_000_999);

it("is what the library signs, whatever the body", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (body) => {
      const secret = newSecret();
      expect(sign(secret, ID, sentAt, body)).toEqual({
        "webhook-id": ID,
        "webhook-timestamp": "1700000000",
        "webhook-signature": new Webhook(secret).sign(ID, sentAt, body),
      });
    }),
  );
});

it.each(["my own secret", "pässwörd", "whsecret"])("takes the characters of %j for the key", (secret) => {
  const theirs = new Webhook(new TextEncoder().encode(secret), { format: "raw" });
  expect(sign(secret, ID, sentAt, "{}")["webhook-signature"]).toBe(theirs.sign(ID, sentAt, "{}"));
});

it.each(["whsec_AAEC", "whsec_AAECAw==", "whsec_AAECAw"])("reads the base64 of %j", (secret) => {
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const theirs = new Webhook(new Uint8Array(key), { format: "raw" });
  expect(sign(secret, ID, sentAt, "{}")["webhook-signature"]).toBe(theirs.sign(ID, sentAt, "{}"));
});
