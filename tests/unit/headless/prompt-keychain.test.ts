/** The keychain of a headless node: what it says of a key that it has, and of one that it has not. */
import "../../../src/headless/node20-shims.ts";
import { generateKeyPair } from "@libp2p/crypto/keys";
import type { KeychainComponents } from "@libp2p/keychain";
import { MemoryDatastore } from "datastore-core";
import { Key } from "interface-datastore";
import { expect, it, vi } from "vitest";
import { promptKeychain } from "../../../src/headless/network/prompt-keychain.ts";

function components(): KeychainComponents {
  const silent = Object.assign(() => {}, { error: () => {}, trace: () => {} });
  const logger = { forComponent: () => silent };
  return { datastore: new MemoryDatastore(), logger } as unknown as KeychainComponents;
}

it("gives a key that it was given, also when it is opened again, and says at once that it has no other", async () => {
  const kept = components();
  const key = await generateKeyPair("ECDSA", "P-256");
  await promptKeychain()(kept).importKey("certificate", key);

  const again = promptKeychain()(kept);
  expect((await again.exportKey("certificate")).equals(key)).toBe(true);

  const timers = vi.spyOn(globalThis, "setTimeout");
  await expect(again.exportKey("another")).rejects.toThrow(
    expect.objectContaining({ name: "NotFoundError", message: "there is no key another" }),
  );
  expect(timers).not.toHaveBeenCalled();
});

it("gives a key also where the process was killed before it had kept that it has it", async () => {
  const kept = components();
  const key = await generateKeyPair("ECDSA", "P-256");
  await promptKeychain()(kept).importKey("certificate", key);
  await kept.datastore.delete(new Key("/info/certificate"));
  expect((await promptKeychain()(kept).exportKey("certificate")).equals(key)).toBe(true);
});
