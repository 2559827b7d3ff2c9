/**
 * The certificate by which a headless node proves to peers who it is: self-signed, with the node's key in an extension. One for
 * all connections, made by native-tls and side-door with the first of them. It is good at any time, where that of @libp2p/tls
 * begins an hour ago: peers check that by their own clocks, and one that is two hours late, as of a machine without a battery or
 * with the wrong time zone, would refuse every other node, unseen.
 * Source: https://github.com/libp2p/specs/blob/master/tls/tls.md
 */
import { createSecureContext, type SecureContext } from "node:tls";
import { publicKeyToProtobuf } from "@libp2p/crypto/keys";
import type { PrivateKey } from "@libp2p/interface";
import { PEER_TLS } from "./peer-tls.ts";

const LIBP2P_EXTENSION = "1.3.6.1.4.1.53594.1.1";
const ECDSA = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

const contexts = new WeakMap<PrivateKey, Promise<SecureContext>>();

/** The same for all that ask with that key, made for the first of them. */
export function peerContext(privateKey: PrivateKey): Promise<SecureContext> {
  const known = contexts.get(privateKey);
  if (known !== undefined) return known;
  const context = createPeerContext(privateKey);
  contexts.set(privateKey, context);
  return context;
}

async function createPeerContext(privateKey: PrivateKey): Promise<SecureContext> {
  return createSecureContext({ ...(await peerCertificate(privateKey)), ...PEER_TLS });
}

/** In PEM. The libraries are loaded with the first connection, since they double the time of a start. */
export async function peerCertificate(nodeKey: PrivateKey): Promise<{ cert: string; key: string }> {
  const { Extension, PemConverter, X509CertificateGenerator } = await import("@peculiar/x509");
  const keys = await crypto.subtle.generateKey(ECDSA, true, ["sign", "verify"]);
  const [spki, pkcs8] = await Promise.all([
    crypto.subtle.exportKey("spki", keys.publicKey),
    crypto.subtle.exportKey("pkcs8", keys.privateKey),
  ]);
  const certificate = await X509CertificateGenerator.createSelfSigned(
    {
      serialNumber: "01",
      notBefore: new Date("1970-01-01T00:00:00Z"),
      notAfter: new Date("9999-12-31T23:59:59Z"),
      signingAlgorithm: ECDSA,
      keys,
      extensions: [new Extension(LIBP2P_EXTENSION, true, await identityOf(nodeKey, spki))],
    },
    crypto,
  );
  return { cert: certificate.toString("pem"), key: PemConverter.encode(pkcs8, "PRIVATE KEY") };
}

/** The node's public key, and by it a signature of the certificate's. */
async function identityOf(nodeKey: PrivateKey, spki: ArrayBuffer): Promise<ArrayBuffer> {
  const { OctetString, Sequence } = await import("asn1js");
  const proof = await nodeKey.sign(Buffer.concat([Buffer.from("libp2p-tls-handshake:"), Buffer.from(spki)]));
  return new Sequence({
    value: [
      new OctetString({ valueHex: publicKeyToProtobuf(nodeKey.publicKey) }),
      new OctetString({ valueHex: new Uint8Array(proof) }),
    ],
  }).toBER();
}
