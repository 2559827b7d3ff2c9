/** FsBlockStore under the contract of block stores. */
import { expect } from "vitest";
import { openFsBlockStore } from "../../src/headless/blocks/open-block-store.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { blockStoreContract } from "./block-store.ts";

blockStoreContract(async ({ maxBytes }) => {
  const root = await temporaryFolder();
  return openFsBlockStore({ root, maxBytes, onError: (error) => expect.unreachable(String(error)) });
});
