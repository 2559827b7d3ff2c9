/**
 * The certificate by which a headless node proves to peers who it is: self-signed, with the node's key in an extension. One for
 * all connections, made by native-tls and side-door with the first of them. It is good at any time, where that of @libp2p/tls
 * begins an hour ago: peers check that by their own clocks, and one that is two hours late, as of a machine without a battery or
 * with the wrong time zone, would refuse every other node, unseen.
 * Sources: https://github.com/libp2p/specs/blob/master/tls/tls.md, RFC 5280
 */
import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { createSecureContext, type SecureContext } from "node:tls";
import { publicKeyToProtobuf } from "@libp2p/crypto/keys";
import type { PrivateKey } from "@libp2p/interface";
import { PEER_TLS } from "./peer-tls.ts";

export async function createPeerContext(privateKey: PrivateKey): Promise<SecureContext> {
  return createSecureContext({ ...(await peerCertificate(privateKey)), ...PEER_TLS });
}

export async function peerCertificate(nodeKey: PrivateKey): Promise<{ cert: string; key: string }> {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const spki = publicKey.export({ type: "spki", format: "der" });
  const proof = await nodeKey.sign(Buffer.concat([Buffer.from("libp2p-tls-handshake:"), spki]));
  const identity = der(
    SEQUENCE,
    der(OCTETS, publicKeyToProtobuf(nodeKey.publicKey)),
    der(OCTETS, new Uint8Array(proof)),
  );
  const extension = der(SEQUENCE, LIBP2P_EXTENSION, der(BOOLEAN, Uint8Array.of(0xff)), der(OCTETS, identity));
  const noName = der(SEQUENCE);
  const facts = der(
    SEQUENCE,
    der(VERSION, der(INTEGER, Uint8Array.of(2))),
    der(INTEGER, Uint8Array.of(1, ...randomBytes(8))),
    ECDSA_WITH_SHA256,
    noName,
    der(SEQUENCE, der(UTC_TIME, Buffer.from("700101000000Z")), der(TIME, Buffer.from("99991231235959Z"))),
    noName,
    spki,
    der(EXTENSIONS, der(SEQUENCE, extension)),
  );
  const signature = Uint8Array.of(0, ...sign("sha256", facts, privateKey));
  const certificate = der(SEQUENCE, facts, ECDSA_WITH_SHA256, der(BITS, signature));
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString("base64")}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

const BOOLEAN = 0x01;
const INTEGER = 0x02;
const BITS = 0x03;
const OCTETS = 0x04;
const OBJECT_ID = 0x06;
const UTC_TIME = 0x17;
const TIME = 0x18;
const SEQUENCE = 0x30;
const VERSION = 0xa0;
const EXTENSIONS = 0xa3;

/** 1.3.6.1.4.1.53594.1.1 */
const LIBP2P_EXTENSION = der(OBJECT_ID, Buffer.from("2b0601040183a25a0101", "hex"));
/** 1.2.840.10045.4.3.2 */
const ECDSA_WITH_SHA256 = der(SEQUENCE, der(OBJECT_ID, Buffer.from("2a8648ce3d040302", "hex")));

/** One value of ASN.1 in DER; of lengths over 127, how many bytes they take comes first. */
function der(tag: number, ...parts: Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  const digits = body.length.toString(16);
  const lengthBytes = Buffer.from(digits.padStart(digits.length + (digits.length % 2), "0"), "hex");
  const length = body.length < 0x80 ? [body.length] : [0x80 | lengthBytes.length, ...lengthBytes];
  return Buffer.concat([Uint8Array.of(tag, ...length), body]);
}
