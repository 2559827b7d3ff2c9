/**
 * Checks API keys in a page: there is one, the origin's. Handed to the API by start-node; calls page-secrets for each
 * request, so that a key replaced in another tab is worth nothing from then on.
 */
import type { ApiKeys } from "../../api/ports.ts";
import type { PageSecrets } from "./page-secrets.ts";

export function openPageKeys(secrets: PageSecrets): ApiKeys {
  return {
    async verify(key) {
      const encoder = new TextEncoder();
      const [given, own] = [encoder.encode(key), encoder.encode(await secrets.apiKey())];
      // Every byte of it: the time tells nothing about the key but its length, which is that of all.
      let difference = given.length ^ own.length;
      for (const [i, byte] of own.entries()) difference |= byte ^ (given[i] ?? 0);
      return difference === 0;
    },
  };
}
