/** Files that version 1 wrote open in a browser too: they are the same bytes on every medium. */
import * as Comlink from "comlink";
import { describe, expect, test } from "vitest";
import { commands } from "vitest/browser";
import type { IndexMedium } from "../../../src/browser/index/index-disk.ts";
import { StorageWorker } from "../../browser/vx-remote-storage.ts";
import type { RestlessService } from "../../browser/vx-restless.worker.ts";
import { after, before, frozenFacts, KEY } from "./frozen-index.ts";
import { SmallIndex } from "./small-index.ts";

/** From the folder of tests. */
const FROZEN = "fixtures/formats/v1/index";
const FILES = ["journal-000000000002", "last-backup", "snapshot"];
const media: IndexMedium[] = ["opfs", "idb"];

async function copyTo(medium: IndexMedium, path: string, kind: string, names: string[]): Promise<void> {
  const worker = new StorageWorker();
  const storage = await worker.open(medium, path);
  for (const name of names) {
    const bytes = atob(await commands.readFile(`${FROZEN}/${kind}/folder/${name}`, "base64"));
    const file = await storage.create(name);
    await file.write(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
    await file.commit();
  }
  await storage.close();
  worker.end();
}

describe.each(media)("on %s", (medium) => {
  test.each([
    { kind: "plain", key: undefined },
    { kind: "encrypted", key: KEY },
  ])("$kind files of version 1 open as the index that wrote them", async ({ kind, key }) => {
    const path = `frozen/${crypto.randomUUID()}`;
    await copyTo(medium, path, kind, FILES);
    const worker = new Worker(new URL("../../browser/vx-restless.worker.ts", import.meta.url), {
      type: "module",
    });
    const content = await Comlink.wrap<RestlessService>(worker).read(medium, path, key);
    worker.terminate();
    const expected = new SmallIndex(frozenFacts);
    expected.operations([...before, ...after]);
    expect(content).toEqual(expected.content());
  });
});
