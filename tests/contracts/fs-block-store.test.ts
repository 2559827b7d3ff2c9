/** FsBlockStore under the contract of block stores. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect } from "vitest";
import { openFsBlockStore } from "../../src/headless/fs-block-store.ts";
import { blockStoreContract } from "./block-store.ts";

const roots: string[] = [];
afterEach(async () => {
  for (const root of roots.splice(0)) await rm(root, { recursive: true, force: true });
});

blockStoreContract(async ({ maxBytes }) => {
  const root = await mkdtemp(join(tmpdir(), "shoal-test-"));
  roots.push(root);
  return openFsBlockStore({ root, maxBytes, onError: (error) => expect.unreachable(String(error)) });
});
