/** Files of a reduced index that its first version wrote open with every later one, with the model that is in them. */
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { locateFsArchive } from "../../../src/headless/index/fs-archive-folder.ts";
import { openFsIndexStorage } from "../../../src/headless/index/fs-index-storage.ts";
import { openEngine } from "../../../src/vx/engine/open-engine.ts";
import { Vx } from "../../../src/vx/vx.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { frozenReduced, KEY, vectorOf, writeAfter, writeBefore } from "./frozen-reduced-index.ts";

const FROZEN = fileURLToPath(new URL("../../fixtures/formats/v1/reduced-index/", import.meta.url));

/** What the frozen model makes of these. NumPy's singular vectors have the second axis the other way round. */
const REDUCED = [
  { id: 0, place: [-7.01376, -1.30233] },
  { id: 5, place: [3.350814, 2.515472] },
  { id: 20, place: [21.943348, -3.169392] },
];

const media = { openStorage: openFsIndexStorage, locateArchive: locateFsArchive };

async function expectModel(vx: Vx): Promise<void> {
  const places = await vx.reduceVectors(REDUCED.map(({ id }) => vectorOf(id)));
  for (const [at, { place }] of REDUCED.entries()) {
    for (const axis of [0, 1]) expect(places[at]?.[axis]).toBeCloseTo(place[axis] as number, 4);
  }
}

async function expectAfter(vx: Vx): Promise<void> {
  await expectModel(vx);
  const found = await vx.search(vectorOf(30), 20);
  expect(found[0]).toEqual({ id: 1, distance: 0, metadata: { n: "again" } });
  expect(found.map(({ id }) => id).sort((a, b) => Number(a) - Number(b))).toEqual([
    0, 1, 2, 3, 5, 6, 7, 8, 20,
  ]);
  expect((await vx.get(20))?.vector).toEqual(Float32Array.from(vectorOf(20)));
}

test("the same vectors come to the same model as they did then", async () => {
  const vx = new Vx(frozenReduced, { startEngine: (settings) => openEngine(settings, media) });
  await writeBefore(vx);
  await expectModel(vx);
  await writeAfter(vx);
  await expectAfter(vx);
  await vx.close();
});

describe.each([
  { kind: "plain", key: {} },
  { kind: "encrypted", key: { encryptionEnabled: true, encryptionKey: KEY } },
])("$kind files of a reduced index", ({ kind, key }) => {
  test("open, and restore, as the index that wrote them", async () => {
    const folder = await temporaryFolder();
    await cp(join(FROZEN, kind), folder, { recursive: true });
    const config = { ...frozenReduced, ...key, storagePath: join(folder, "folder") };
    const vx = new Vx(config, { startEngine: (settings) => openEngine(settings, media) });
    await expectAfter(vx);
    expect((await vx.restore(join(folder, "backups/full.zip"))).vectorCount).toBe(9);
    await expectModel(vx);
    expect(await vx.search(vectorOf(4), 1)).toEqual([{ id: 4, distance: 0, metadata: { n: 4 } }]);
    expect((await vx.restore(join(folder, "backups/incremental.zip"))).vectorCount).toBe(9);
    await expectAfter(vx);
    await vx.close();
  });
});
