/**
 * The node's private key, which makes its id: read from the data folder, or made at first start. Called by main;
 * calls @libp2p/crypto. Stored in libp2p's protobuf form, for its owner alone.
 */
import { readFile } from "node:fs/promises";
import { generateKeyPair, privateKeyFromProtobuf, privateKeyToProtobuf } from "@libp2p/crypto/keys";
import type { PrivateKey } from "@libp2p/interface";
import { CommandError } from "../command-error.ts";
import { unlessGone } from "../files/disk-errors.ts";
import { replaceFile } from "../files/durable.ts";

/** @throws CommandError `start_failed` for a damaged file: a new key would be another node */
export async function openNodeKey(file: string): Promise<PrivateKey> {
  const stored = await unlessGone(readFile(file));
  if (stored === undefined) {
    const key = await generateKeyPair("Ed25519");
    await replaceFile(file, privateKeyToProtobuf(key));
    return key;
  }
  try {
    return privateKeyFromProtobuf(stored);
  } catch (error) {
    throw new CommandError("start_failed", `${file} is damaged: restore it, or remove it to be a new node`, {
      cause: error,
    });
  }
}
