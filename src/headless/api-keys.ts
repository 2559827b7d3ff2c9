/**
 * API keys at rest: one file a key, named by the key's SHA-256 in hex, holding its name and time as JSON. So
 * making and revoking are single atomic steps beside other processes, and a running node sees them at its next
 * request. Called by open-api, first-key, main-vx-child and the key commands; calls node:fs.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { statSync } from "node:fs";
import { readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { ApiKeys } from "../api/ports.ts";
import { CommandError } from "./command-error.ts";
import { hasCode, unlessGone } from "./files/disk-errors.ts";
import { replaceFile, syncFolder } from "./files/durable.ts";
import { makeFolders } from "./files/make-folders.ts";
import { FOLDER_TIME_MS, MAX_API_KEYS, MAX_KEY_NAME_CHARS, UNFINISHED_KEY_MS } from "./limits.ts";

export interface ApiKeyEntry {
  /** The first 12 digits of the SHA-256: enough to tell keys apart, of no use to forge one. */
  id: string;
  name: string;
  createdAt: string;
}

/** What is told of a key whose file says nothing; it is revoked by its id. */
const UNREADABLE = { name: "(its file cannot be read)", createdAt: "unknown" };

/** `shoal_` and 32 random bytes in base64url. */
export function makeApiKey(): string {
  return `shoal_${randomBytes(32).toString("base64url")}`;
}

/** What is told of a key that is not to be shown. */
export function idOfKey(key: string): string {
  return idOf(sha256(key).toString("hex"));
}

/** Makes a key and stores its hash. @throws CommandError as `storeApiKey` says */
export async function generateApiKey(folder: string, name: string, now: Date): Promise<string> {
  const key = makeApiKey();
  await storeApiKey(folder, key, { name, now });
  return key;
}

/** From then on the key is one. @throws CommandError `usage` for a wrong name, `request_failed` for too many keys */
export async function storeApiKey(
  folder: string,
  key: string,
  { name, now }: { name: string; now: Date },
): Promise<void> {
  checkKeyName(name);
  await makeFolders(folder, 0o700);
  if ((await hashes(folder)).length >= MAX_API_KEYS) {
    throw new CommandError("request_failed", `there are ${MAX_API_KEYS} keys already: revoke some`);
  }
  await removeUnfinished(folder);
  const entry = JSON.stringify({ name, created_at: now.toISOString() });
  await replaceFile(keyFile(folder, sha256(key).toString("hex")), new TextEncoder().encode(entry));
}

/** @throws CommandError `usage` */
export function checkKeyName(name: string): void {
  if (name.trim() !== "" && name.length <= MAX_KEY_NAME_CHARS) return;
  throw new CommandError("usage", `the name of a key has 1 to ${MAX_KEY_NAME_CHARS} characters`);
}

/** Oldest first. */
export async function listApiKeys(folder: string): Promise<ApiKeyEntry[]> {
  const entries = await Promise.all((await hashes(folder)).map((hash) => readEntry(folder, hash)));
  return entries.filter((entry) => entry !== undefined).sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
}

/** Undefined for a key that was revoked meanwhile. One whose file is damaged is still a key, for the file's name makes it one. */
async function readEntry(folder: string, hash: string): Promise<ApiKeyEntry | undefined> {
  const id = idOf(hash);
  try {
    return { id, ...aboutKey(await readFile(keyFile(folder, hash), "utf8")) };
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    if (hasCode(error, "EACCES", "EIO") || error instanceof SyntaxError) return { id, ...UNREADABLE };
    throw error;
  }
}

/** @throws SyntaxError */
function aboutKey(text: string): Omit<ApiKeyEntry, "id"> {
  const { name, created_at } = Object(JSON.parse(text));
  if (typeof name !== "string" || typeof created_at !== "string") return UNREADABLE;
  return { name, createdAt: created_at };
}

/** Also through power loss. @throws CommandError `request_failed` unless just one key has the id or name */
export async function revokeApiKey(folder: string, idOrName: string): Promise<ApiKeyEntry> {
  const matching = (await listApiKeys(folder)).filter(({ id, name }) => id === idOrName || name === idOrName);
  const [entry] = matching;
  if (entry === undefined)
    throw new CommandError("request_failed", `there is no key ${JSON.stringify(idOrName)}`);
  if (matching.length > 1) {
    const ids = matching.map(({ id }) => id).join(", ");
    throw new CommandError("request_failed", `several keys have that name, revoke by id: ${ids}`);
  }
  const hash = (await hashes(folder)).find((candidate) => candidate.startsWith(entry.id));
  if (hash !== undefined) {
    await rm(keyFile(folder, hash), { force: true });
    await syncFolder(folder);
  }
  return entry;
}

/** Keys as the API asks for them; `runKey` is one more, of this run alone, that is stored nowhere. */
export function openApiKeys(folder: string, runKey: string): ApiKeys {
  const runHash = sha256(runKey);
  const stored = createKeptHashes(folder);
  return {
    async verify(key) {
      const given = sha256(key);
      let isKnown = timingSafeEqual(given, runHash);
      for (const hash of await stored()) isKnown = timingSafeEqual(given, hash) || isKnown;
      return isKnown;
    },
  };
}

/**
 * The hashes in the folder, read anew when it was changed: a look at its time takes microseconds, a reading a turn of
 * the thread pool. Two changes may bear the same time, so one that is younger than the file system tells apart is not
 * relied on.
 */
function createKeptHashes(folder: string): () => Promise<Buffer[]> {
  let kept: { hashes: Buffer[]; changedMs: number } | undefined;
  return async () => {
    const changedMs = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (kept?.changedMs === changedMs) return kept.hashes;
    kept = undefined;
    const isSettled = Date.now() - changedMs > FOLDER_TIME_MS;
    const read = (await hashes(folder)).map((hash) => Buffer.from(hash, "hex"));
    if (isSettled) kept = { hashes: read, changedMs };
    return read;
  };
}

export async function hasApiKeys(folder: string): Promise<boolean> {
  return (await hashes(folder)).length > 0;
}

async function hashes(folder: string): Promise<string[]> {
  const names = (await unlessGone(readdir(folder))) ?? [];
  return names.filter((name) => /^[0-9a-f]{64}\.json$/.test(name)).map((name) => name.slice(0, 64));
}

/** What processes left that were killed as they made a key. Another may be making one now. */
async function removeUnfinished(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!/^[0-9a-f]{64}\.json\.new$/.test(name)) continue;
    const path = join(folder, name);
    const changedMs = (await unlessGone(stat(path)))?.mtimeMs ?? 0;
    if (Date.now() - changedMs > UNFINISHED_KEY_MS) await rm(path, { force: true });
  }
}

function idOf(hash: string): string {
  return hash.slice(0, 12);
}

function keyFile(folder: string, hash: string): string {
  return join(folder, `${hash}.json`);
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
