/**
 * The page's private key, which makes its node id: kept by page-secrets, made at the first start, taken out and brought
 * back by the API. Opened by start-node; calls @libp2p/crypto.
 */
import { generateKeyPair, privateKeyFromProtobuf, privateKeyToProtobuf } from "@libp2p/crypto/keys";
import type { PrivateKey } from "@libp2p/interface";
import { peerIdFromPrivateKey } from "@libp2p/peer-id";
import type { Identity } from "../../api/ports.ts";
import { SharingError } from "../../sharing/errors.ts";
import type { PageSecrets } from "./page-secrets.ts";

export interface NodeIdentity {
  /** What this start uses. */
  privateKey: PrivateKey;
  /** What the next start uses. */
  port: Identity;
}

export async function openNodeIdentity(secrets: PageSecrets): Promise<NodeIdentity> {
  async function read(): Promise<PrivateKey> {
    const kept = await secrets.nodeKey();
    if (kept !== undefined) return privateKeyFromProtobuf(kept);
    const made = await generateKeyPair("Ed25519");
    await secrets.keepNodeKey(privateKeyToProtobuf(made));
    return made;
  }

  return {
    privateKey: await read(),
    port: {
      read: async () => describe(await read()),
      async replace(bytes) {
        const key = parse(bytes);
        await secrets.keepNodeKey(privateKeyToProtobuf(key));
        return describe(key);
      },
    },
  };
}

function parse(bytes: Uint8Array): PrivateKey {
  try {
    return privateKeyFromProtobuf(bytes);
  } catch (error) {
    throw new SharingError("bad_request", "That is no private key of a node", { cause: error });
  }
}

function describe(key: PrivateKey) {
  return { nodeId: peerIdFromPrivateKey(key).toString(), privateKey: privateKeyToProtobuf(key) };
}
