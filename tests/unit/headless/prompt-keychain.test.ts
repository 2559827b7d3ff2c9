/** The keychain of a headless node: what it says of a key that it has, and of one that it has not. */
import "../../../src/headless/node20-shims.ts";
import { generateKeyPair } from "@libp2p/crypto/keys";
import type { KeychainComponents } from "@libp2p/keychain";
import { MemoryDatastore } from "datastore-core";
import { expect, it, vi } from "vitest";
import { promptKeychain } from "../../../src/headless/network/prompt-keychain.ts";

it("gives a key that it was given, also when it is opened again, and says at once that it has no other", async () => {
  const silent = Object.assign(() => {}, { error: () => {}, trace: () => {} });
  const components = {
    datastore: new MemoryDatastore(),
    logger: { forComponent: () => silent },
  } as unknown as KeychainComponents;
  const key = await generateKeyPair("ECDSA", "P-256");
  await promptKeychain()(components).importKey("certificate", key);

  const again = promptKeychain()(components);
  expect((await again.exportKey("certificate")).equals(key)).toBe(true);

  const timers = vi.spyOn(globalThis, "setTimeout");
  await expect(again.exportKey("another")).rejects.toThrow(
    expect.objectContaining({ name: "NotFoundError", message: "there is no key another" }),
  );
  expect(timers).not.toHaveBeenCalled();
});
