/** Files that version 1 wrote open with every later version: journal, snapshot and archives, plain and encrypted. */
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { locateFsArchive } from "../../../src/headless/index/fs-archive-folder.ts";
import { openFsIndexStorage } from "../../../src/headless/index/fs-index-storage.ts";
import { openArchive } from "../../../src/vx/storage/archives.ts";
import { openIndexStore } from "../../../src/vx/storage/open-index-store.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { after, before, frozenFacts, KEY } from "./frozen-index.ts";
import { loaded, SmallIndex } from "./small-index.ts";

const FROZEN = fileURLToPath(new URL("../../fixtures/formats/v1/index/", import.meta.url));

function contentAfter(...operations: (typeof before)[]) {
  const index = new SmallIndex(frozenFacts);
  index.operations(operations.flat());
  return index.content();
}

describe.each([
  { kind: "plain", key: undefined },
  { kind: "encrypted", key: KEY },
])("$kind files of version 1", ({ kind, key }) => {
  test("open as the index that wrote them", async () => {
    const root = await temporaryFolder();
    await cp(join(FROZEN, kind, "folder"), root, { recursive: true });
    const store = await openIndexStore(await openFsIndexStorage(root), { encryptionKey: key });
    expect(store.facts).toEqual(frozenFacts);
    expect((await loaded(store)).content()).toEqual(contentAfter(before, after));
    expect(store.lastSequence).toBe(before.length + after.length);
    await store.close();
  });

  test.each([
    { name: "full.zip", content: contentAfter(before) },
    { name: "incremental.zip", content: contentAfter(before, after) },
  ])("restore from $name", async ({ name, content }) => {
    const archive = await openArchive(await locateFsArchive(join(FROZEN, kind, "backups", name)), key);
    expect((await loaded(archive)).content()).toEqual(content);
    await archive.close();
  });
});
