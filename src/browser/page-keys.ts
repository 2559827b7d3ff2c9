/**
 * Checks API keys in a page: there is one, the origin's. Handed to the API by start-node; calls page-secrets for each
 * request, so that a key replaced in another tab is worth nothing at once.
 */
import type { ApiKeys } from "../api/ports.ts";
import type { PageSecrets } from "./page-secrets.ts";

export function openPageKeys(secrets: PageSecrets): ApiKeys {
  return {
    async verify(key) {
      const [given, own] = await Promise.all([digest(key), digest(await secrets.apiKey())]);
      // Of digests, every byte of them: the time tells nothing about the key.
      let difference = 0;
      for (const [i, byte] of own.entries()) difference |= byte ^ (given[i] ?? 0);
      return difference === 0;
    },
  };
}

async function digest(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}
