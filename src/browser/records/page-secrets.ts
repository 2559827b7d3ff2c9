/**
 * What only this origin may know: the API key and the node's private key, in an IndexedDB database of their own. Made by
 * main in every tab (the key is there before the node runs), used by page-keys and by node-identity; calls idb-connection.
 *
 * The API key is asked for several times a second, so it is remembered, for as long as a lock is held that all share who
 * remember it. Who replaces the key tells them to forget it and waits to have the lock alone: no tab that runs knows the
 * old key when that settles.
 */
import type { DBSchema } from "idb";
import { openOriginChannel } from "../../bridge/origin-channel.ts";
import { FORGET_KEY_MS } from "../limits.ts";
import { IdbConnection } from "../storage/idb-connection.ts";
import { hasName } from "../storage/medium-errors.ts";

/** 256 bits, as `generate-api-key` makes them. */
const API_KEY_BYTES = 32;

/** Name of the lock, and of the channel on which it is told that the key is another. */
const API_KEY = "shoal-api-key";

interface Remembered {
  key: Promise<string>;
  forget(): void;
}

interface Secrets extends DBSchema {
  secrets: { key: "api-key" | "node-key"; value: string | Uint8Array };
}

export class PageSecrets {
  readonly #connection = new IdbConnection<Secrets>(
    "shoal-secrets",
    (database) => void database.createObjectStore("secrets"),
  );
  readonly #replaced = openOriginChannel(API_KEY);
  #remembered: Remembered | undefined;

  constructor() {
    this.#replaced.addEventListener("message", () => this.#forget());
  }

  /** The origin's API key; made when it is asked for first. */
  async apiKey(): Promise<string> {
    // Nobody has locks in a page without a secure context, whose node does not run either.
    if (!isSecureContext) return await this.#readApiKey();
    this.#remembered ??= this.#remember();
    return await this.#remembered.key;
  }

  #remember(): Remembered {
    let forget!: () => void;
    const forgotten = new Promise<void>((resolve) => {
      forget = resolve;
    });
    const key = new Promise<string>((resolve, reject) => {
      const holding = navigator.locks.request(API_KEY, { mode: "shared" }, async () => {
        resolve(await this.#readApiKey());
        await forgotten;
      });
      holding.catch((error) => {
        this.#forget();
        reject(error);
      });
    });
    return { key, forget };
  }

  #forget(): void {
    this.#remembered?.forget();
    this.#remembered = undefined;
  }

  /** All who remember the key forget it, here and in other tabs. */
  #tellReplaced(): void {
    this.#forget();
    this.#replaced.postMessage(undefined);
  }

  async #readApiKey(): Promise<string> {
    const database = await this.#connection.database();
    const kept = await database.get("secrets", "api-key");
    if (typeof kept === "string") return kept;
    // Another tab may make one at this moment: whose transaction comes first, its key counts.
    const transaction = database.transaction("secrets", "readwrite", { durability: "strict" });
    const made = (await transaction.store.get("api-key")) ?? newApiKey();
    await transaction.store.put(made, "api-key");
    await transaction.done;
    this.#replaced.postMessage(undefined);
    return String(made);
  }

  /** Makes a new key; the old one is worth nothing from then on. */
  async replaceApiKey(): Promise<string> {
    const key = newApiKey();
    const put = () => this.#keep("api-key", key);
    const alone = navigator.locks.request(API_KEY, { signal: AbortSignal.timeout(FORGET_KEY_MS) }, put);
    this.#tellReplaced();
    try {
      await alone;
    } catch (error) {
      if (!hasName(error, "TimeoutError")) throw error;
      // A tab that stands still does not answer, and hears of it before it does anything else.
      await put();
    }
    this.#tellReplaced();
    return key;
  }

  /** The node's private key; undefined before there is one. */
  async nodeKey(): Promise<Uint8Array | undefined> {
    const kept = await (await this.#connection.database()).get("secrets", "node-key");
    return kept instanceof Uint8Array ? kept : undefined;
  }

  async keepNodeKey(key: Uint8Array): Promise<void> {
    await this.#keep("node-key", key);
  }

  /** Settles when it survives power loss. */
  async #keep(name: "api-key" | "node-key", secret: string | Uint8Array): Promise<void> {
    const database = await this.#connection.database();
    const transaction = database.transaction("secrets", "readwrite", { durability: "strict" });
    await Promise.all([transaction.store.put(secret, name), transaction.done]);
  }
}

/** `shoal_` and base64url, the form of keys that the command line makes. */
function newApiKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(API_KEY_BYTES));
  const base64 = btoa(String.fromCharCode(...bytes));
  return `shoal_${base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}
