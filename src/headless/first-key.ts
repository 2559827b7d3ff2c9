/**
 * Which API keys a start needs. Called by the mains, before the API is opened and at the end, and as keys are revoked.
 * On loopback a first key is made, so that a newcomer has one; elsewhere a key must exist, so that no node is open to a
 * network by mistake.
 */
import { lookup } from "node:dns/promises";
import { readFile, unlink } from "node:fs/promises";
import { hasApiKeys, idOfKey, makeApiKey, storeApiKey } from "./api-keys.ts";
import { CommandError } from "./command-error.ts";
import type { DataFolder } from "./data-folder.ts";
import { unlessGone } from "./files/disk-errors.ts";
import { replaceFile } from "./files/durable.ts";
import { isLoopback } from "./loopback.ts";

/** A key that was made: to be shown here and now, or left in a file. */
export type FirstKey = { key: string } | { keyFile: string };

/** Whether a first key is to be made. @throws CommandError `start_failed` for an address beyond loopback without a key */
export async function needsFirstKey(folder: DataFolder, host: string): Promise<boolean> {
  if (await hasApiKeys(folder.apiKeysFolder)) return false;
  if (await isOfThisMachineAlone(host)) return true;
  throw new CommandError(
    "start_failed",
    `--api-host ${host} can be reached from other machines: make an API key first, with shoal generate-api-key --data-dir ${folder.path}`,
  );
}

/**
 * Called once all serves, and what the start prints is printed: the key of a start that fails, or is stopped before,
 * would be shown to nobody, and the next start would make none. So `running.json`, by which commands find a node while
 * its index is loading, is there before: who waits for the key waits for its own file, or for the line that names it.
 */
export async function makeFirstKey(
  folder: DataFolder,
  { isTerminal, now }: { isTerminal: boolean; now: Date },
): Promise<FirstKey> {
  const key = makeApiKey();
  const store = () => storeApiKey(folder.apiKeysFolder, key, { name: "first key", now });
  if (isTerminal) {
    await store();
    return { key };
  }
  // Of a key that was revoked. What else may stand there is in the way before the key is one, and not after.
  await unlessGone(unlink(folder.firstKeyFile));
  // Whoever waits for the file may use the key at once.
  await replaceFile(folder.firstKeyFile, new TextEncoder().encode(`${key}\n`), { before: store });
  return { keyFile: folder.firstKeyFile };
}

/** Who looks for a key there would find one that opens nothing; in what can't be read nobody finds one. */
export async function removeRevokedKeyFile(folder: DataFolder, revokedId: string): Promise<void> {
  const key = await readFile(folder.firstKeyFile, "utf8").catch(() => undefined);
  if (key !== undefined && idOfKey(key.trim()) === revokedId) await unlessGone(unlink(folder.firstKeyFile));
}

/** Whether every address that the host stands for is one of this machine alone. */
async function isOfThisMachineAlone(host: string): Promise<boolean> {
  const addresses = await lookup(host, { all: true });
  return addresses.every(({ address }) => isLoopback(address));
}
