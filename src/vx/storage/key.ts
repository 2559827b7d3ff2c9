/**
 * The encryption key of an index: from the user's text to the keys of its files. Made by openIndexStore and the
 * restore of archives; calls WebCrypto.
 *
 *   text ── PBKDF2-SHA-256 (salt, rounds) ── master ─┬─ HKDF "shoal vx check" ── 16 bytes that tell the right key
 *                                                    └─ HKDF "shoal vx file", file id ── AES-256-GCM, one key a file
 *
 * All of the text counts, as UTF-8. Salt, rounds and check stand in files; no key does. PBKDF2: RFC 8018, HKDF:
 * RFC 5869.
 */
import { wrongKey } from "./damage.ts";
import { toHex } from "./hex.ts";
import { KDF_ROUNDS, MAX_KDF_ROUNDS, MIN_KEY_BYTES } from "./limits.ts";

/** What files say of the key. */
export interface KeyFacts {
  salt: Uint8Array<ArrayBuffer>;
  rounds: number;
  check: Uint8Array<ArrayBuffer>;
}

export const SALT_BYTES = 16;
export const CHECK_BYTES = 16;

const CHECK = new TextEncoder().encode("shoal vx check");
const FILE = new TextEncoder().encode("shoal vx file");

export class IndexKey {
  readonly facts: KeyFacts;
  readonly #master: CryptoKey;

  constructor(facts: KeyFacts, master: CryptoKey) {
    this.facts = facts;
    this.#master = master;
  }

  /** The key of the file with that random id. */
  async fileKey(fileId: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
    const parameters = { name: "HKDF", hash: "SHA-256", salt: fileId, info: FILE };
    const algorithm = { name: "AES-GCM", length: 256 };
    return crypto.subtle.deriveKey(parameters, this.#master, algorithm, false, ["encrypt", "decrypt"]);
  }
}

/** A key for a new index, under a fresh salt. @throws VxError `encryption_key_invalid` if it is too short */
export async function createKey(text: string, rounds = KDF_ROUNDS): Promise<IndexKey> {
  const salt = crypto.getRandomValues(new Uint8Array(SALT_BYTES));
  const master = await masterKey(text, salt, rounds);
  return new IndexKey({ salt, rounds, check: await keyCheck(master) }, master);
}

/** The key that files were written under. @throws VxError `encryption_key_invalid` if it is another */
export async function openKey(text: string, facts: KeyFacts): Promise<IndexKey> {
  if (facts.rounds < 1 || facts.rounds > MAX_KDF_ROUNDS) {
    throw wrongKey(`The stored index asks for ${facts.rounds} rounds of PBKDF2, more than ${MAX_KDF_ROUNDS}`);
  }
  const master = await masterKey(text, facts.salt, facts.rounds);
  if (toHex(await keyCheck(master)) !== toHex(facts.check)) {
    throw wrongKey("The encryption key is not the one that this was encrypted with");
  }
  return new IndexKey(facts, master);
}

async function masterKey(text: string, salt: Uint8Array<ArrayBuffer>, rounds: number): Promise<CryptoKey> {
  const bytes = new TextEncoder().encode(text);
  if (bytes.byteLength < MIN_KEY_BYTES) {
    throw wrongKey(`An encryption key has at least ${MIN_KEY_BYTES} bytes, this one has ${bytes.byteLength}`);
  }
  const secret = await crypto.subtle.importKey("raw", bytes, "PBKDF2", false, ["deriveBits"]);
  const parameters = { name: "PBKDF2", hash: "SHA-256", salt, iterations: rounds };
  const master = await crypto.subtle.deriveBits(parameters, secret, 256);
  return crypto.subtle.importKey("raw", master, "HKDF", false, ["deriveBits", "deriveKey"]);
}

async function keyCheck(master: CryptoKey): Promise<Uint8Array<ArrayBuffer>> {
  const parameters = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(0), info: CHECK };
  return new Uint8Array(await crypto.subtle.deriveBits(parameters, master, CHECK_BYTES * 8));
}
