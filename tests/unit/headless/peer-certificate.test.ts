/** Certificates of headless nodes, as @libp2p/tls checks them, which is what peers do. */
import "../../../src/headless/node20-shims.ts";
import { X509Certificate } from "node:crypto";
import { generateKeyPair } from "@libp2p/crypto/keys";
import { peerIdFromPrivateKey } from "@libp2p/peer-id";
import { verifyPeerCertificate } from "@libp2p/tls/utils";
import { expect, it, onTestFinished, vi } from "vitest";
import { peerCertificate, peerContext } from "../../../src/headless/network/peer-certificate.ts";

async function checked(cert: string) {
  return await verifyPeerCertificate(new Uint8Array(new X509Certificate(cert).raw));
}

it.each(["Ed25519", "secp256k1", "RSA"] as const)(
  "tells the peer id of a node with a key of %s",
  async (type) => {
    const key = await generateKeyPair(type as "Ed25519");
    const { cert } = await peerCertificate(key);
    expect((await checked(cert)).equals(peerIdFromPrivateKey(key))).toBe(true);
  },
);

it("is one for all that ask with a key", async () => {
  const [key, other] = [await generateKeyPair("Ed25519"), await generateKeyPair("Ed25519")];
  expect(await peerContext(key)).toBe(await peerContext(key));
  expect(await peerContext(other)).not.toBe(await peerContext(key));
});

it.each(["1971-01-01", "2020-01-01", "2090-01-01"])(
  "is good for a peer whose clock says %s",
  async (date) => {
    const key = await generateKeyPair("Ed25519");
    const { cert } = await peerCertificate(key);
    vi.useFakeTimers({ toFake: ["Date"], now: new Date(date) });
    onTestFinished(() => void vi.useRealTimers());
    expect((await checked(cert)).equals(peerIdFromPrivateKey(key))).toBe(true);
  },
);

it("is no good with another node's key in it", async () => {
  const [one, other] = await Promise.all([generateKeyPair("Ed25519"), generateKeyPair("Ed25519")]);
  const signing = { type: one.type, publicKey: other.publicKey, sign: one.sign.bind(one) };
  const { cert } = await peerCertificate(signing as typeof one);
  await expect(checked(cert)).rejects.toThrow("Could not verify signature");
});
