/**
 * The node's identity as a file that a person keeps: JSON with a format name, the node's id and its private key (libp2p's
 * protobuf in base64). Called by identity-section. Read strictly, since a wrong key makes another node of this one.
 */
import { MAX_IDENTITY_FILE_BYTES } from "./limits.ts";

export interface IdentityFile {
  nodeId: string;
  /** Base64. */
  privateKey: string;
}

const FORMAT = "shoal-identity-1";

export function identityFileText({ nodeId, privateKey }: IdentityFile): string {
  return `${JSON.stringify({ format: FORMAT, node_id: nodeId, private_key: privateKey }, undefined, 2)}\n`;
}

/** @throws Error that says what is wrong with the file */
export function readIdentityFile(text: string): IdentityFile {
  if (text.length > MAX_IDENTITY_FILE_BYTES) throw new Error("This file is too long for an identity.");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error("This is no identity file: it is no JSON.");
  }
  const fields = typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  if (fields.format !== FORMAT) throw new Error("This is no identity file of Shoal.");
  const { node_id: nodeId, private_key: privateKey } = fields;
  if (
    typeof nodeId !== "string" ||
    typeof privateKey !== "string" ||
    !/^[A-Za-z0-9+/]+=*$/.test(privateKey)
  ) {
    throw new Error("This identity file is damaged: its key can't be read.");
  }
  return { nodeId, privateKey };
}
