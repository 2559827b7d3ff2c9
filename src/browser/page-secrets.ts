/**
 * What only this origin may know: the API key and the node's private key, in an IndexedDB database of their own. Used
 * by main in every tab (the key is there before the node runs), by page-keys and by node-identity; calls idb-connection.
 */
import type { DBSchema } from "idb";
import { IdbConnection } from "./idb-connection.ts";

/** 256 bits, as `generate-api-key` makes them. */
const API_KEY_BYTES = 32;

interface Secrets extends DBSchema {
  secrets: { key: "api-key" | "node-key"; value: string | Uint8Array };
}

export class PageSecrets {
  readonly #connection: IdbConnection<Secrets>;

  private constructor(connection: IdbConnection<Secrets>) {
    this.#connection = connection;
  }

  static async open(): Promise<PageSecrets> {
    return new PageSecrets(
      await IdbConnection.open<Secrets>(
        "shoal-secrets",
        (database) => void database.createObjectStore("secrets"),
      ),
    );
  }

  /** The origin's API key; made when it is asked for first. */
  async apiKey(): Promise<string> {
    const database = await this.#connection.database();
    const kept = await database.get("secrets", "api-key");
    if (typeof kept === "string") return kept;
    // Another tab may make one at this moment: whose transaction comes first, its key counts.
    const transaction = database.transaction("secrets", "readwrite", { durability: "strict" });
    const made = (await transaction.store.get("api-key")) ?? newApiKey();
    await transaction.store.put(made, "api-key");
    await transaction.done;
    return String(made);
  }

  /** Makes a new key; the old one is worth nothing from then on. */
  async replaceApiKey(): Promise<string> {
    const key = newApiKey();
    await (await this.#connection.database()).put("secrets", key, "api-key");
    return key;
  }

  /** The node's private key; undefined before there is one. */
  async nodeKey(): Promise<Uint8Array | undefined> {
    const kept = await (await this.#connection.database()).get("secrets", "node-key");
    return kept instanceof Uint8Array ? kept : undefined;
  }

  async keepNodeKey(key: Uint8Array): Promise<void> {
    await (await this.#connection.database()).put("secrets", key, "node-key");
  }
}

/** `shoal_` and base64url, the form of keys that the command line makes. */
function newApiKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(API_KEY_BYTES));
  const base64 = btoa(String.fromCharCode(...bytes));
  return `shoal_${base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}
