/** What tabs know of the API key that they share, each of which remembers it. */
import { expect, it, vi } from "vitest";
import { openPageKeys } from "../../src/browser/records/page-keys.ts";
import { PageSecrets } from "../../src/browser/records/page-secrets.ts";

it("a key that was replaced is worth nothing in any tab from then on", async () => {
  const [one, other] = [new PageSecrets(), new PageSecrets()];
  const keys = openPageKeys(one);
  for (let round = 0; round < 20; round++) {
    const old = await one.apiKey();
    const [key] = await Promise.all([other.replaceApiKey(), one.apiKey(), other.apiKey()]);
    expect(await Promise.all([one.apiKey(), other.apiKey()])).toEqual([key, key]);
    expect(await keys.verify(old)).toBe(false);
    expect(await keys.verify(key)).toBe(true);
  }
});

it.each(["", "shoal_", "x"])("the key with %j behind or in place of it is none", async (text) => {
  const secrets = new PageSecrets();
  const keys = openPageKeys(secrets);
  expect(await keys.verify(text)).toBe(false);
  expect(await keys.verify((await secrets.apiKey()) + text)).toBe(text === "");
});

it("the key that a tab makes where the stored one is gone is known to the others", async () => {
  const [one, other] = [new PageSecrets(), new PageSecrets()];
  const old = await one.apiKey();
  await loseKey();
  const made = await other.apiKey();
  expect(made).not.toBe(old);
  await expect.poll(() => one.apiKey()).toBe(made);
});

it("a key that was replaced survives power loss", async () => {
  const secrets = new PageSecrets();
  const begin = vi.spyOn(IDBDatabase.prototype, "transaction");
  await secrets.replaceApiKey();
  await secrets.keepNodeKey(Uint8Array.of(1));
  const writing = begin.mock.calls.filter(([, mode]) => mode === "readwrite");
  begin.mockRestore();
  expect(writing.map(([, , options]) => options?.durability)).toEqual(["strict", "strict"]);
});

async function loseKey(): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const opening = indexedDB.open("shoal-secrets");
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const transaction = opening.result.transaction("secrets", "readwrite");
      transaction.objectStore("secrets").delete("api-key");
      transaction.oncomplete = () => {
        opening.result.close();
        resolve();
      };
    };
  });
}
