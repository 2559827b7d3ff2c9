/** The library's contract, with its engine in a worker thread, and what is that thread's alone. */
import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { nodeVxHost } from "../../../src/headless/index/vx-host.ts";
import { DimensionMismatchError, type VxError } from "../../../src/vx/errors.ts";
import { Vx } from "../../../src/vx/vx.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { vxContract } from "./vx-contract.ts";

async function newPath(): Promise<string> {
  return join(await temporaryFolder(), "new");
}

vxContract("its engine in a worker, on the file system", { host: nodeVxHost, newPath });

it("tells in the stack of what its thread refuses who asked", async () => {
  const vx = new Vx({ dimension: 2 }, nodeVxHost);
  const askOfProgram = async () => await vx.queryMetadata("DELETE FROM metadata");
  const refusal = (await askOfProgram().catch((error: unknown) => error)) as VxError;
  expect(refusal.code).toBe("invalid_query");
  expect(refusal.stack).toContain("askOfProgram");
  await vx.close();
});

it("gives a mismatch that its thread found as an error that other threads may be sent", async () => {
  const storagePath = await newPath();
  const vx = new Vx({ dimension: 2, storagePath }, nodeVxHost);
  await vx.add(1, [1, 0]);
  await vx.close();
  const refusal = await new Vx({ dimension: 3, storagePath }, nodeVxHost).ready().catch((error) => error);
  expect(refusal).toBeInstanceOf(DimensionMismatchError);
  expect(structuredClone(refusal)).toBeInstanceOf(Error);
  expect(structuredClone(refusal).message).toBe("Vector dimension mismatch: expected 2, got 3");
});

it("leaves no folder where it looked for an index and found none", async () => {
  const storagePath = await newPath();
  const vx = new Vx({ storagePath }, nodeVxHost, { create: false });
  await expect(vx.ready()).rejects.toMatchObject({ code: "not_found" });
  expect(await readdir(dirname(storagePath))).toEqual([]);
});

it("leaves no folder where it looked for a backup and found none", async () => {
  const place = await newPath();
  const vx = new Vx({ dimension: 3 }, nodeVxHost);
  await expect(vx.restore(join(place, "below", "a.zip"))).rejects.toMatchObject({ code: "backup_not_found" });
  await expect(vx.restore("/proc/none/a.zip")).rejects.toMatchObject({ code: "backup_not_found" });
  expect(await readdir(dirname(place))).toEqual([]);
  await vx.close();
});

it("makes no backup in the place of a folder", async () => {
  const folder = dirname(await newPath());
  const vx = new Vx({ dimension: 3 }, nodeVxHost);
  await expect(vx.backup(folder)).rejects.toMatchObject({ code: "invalid_request" });
  await expect(vx.restore(folder)).rejects.toMatchObject({ code: "invalid_request" });
  expect(await readdir(folder)).toEqual([]);
  await vx.close();
});

it("shows each search a batch whole or not at all, in whichever thread it is made", async () => {
  const vx = new Vx({ dimension: 8, distance: "l2", storagePath: await newPath() }, nodeVxHost);
  const ids = Array.from({ length: 300 }, (_, id) => id);
  const vectors = ids.map((id) => Float32Array.from({ length: 8 }, (_, i) => Math.sin(id * 8 + i)));
  const roundsFound = async () => {
    const query = vectors[Math.floor(Math.random() * ids.length)] as Float32Array;
    const found = await vx.search(query, 20);
    expect(found).toHaveLength(20);
    return new Set(found.map(({ metadata }) => metadata.round));
  };
  await vx.batchAdd(
    ids,
    vectors,
    ids.map(() => ({ round: 0 })),
  );
  let between = 0;
  for (let round = 1; round <= 20; round++) {
    let isAdded = false;
    const adding = vx.batchAdd(
      ids,
      vectors,
      ids.map(() => ({ round })),
    );
    const added = adding.then(() => {
      isAdded = true;
    });
    while (!isAdded) {
      const [found, ...others] = await roundsFound();
      expect(others).toEqual([]);
      expect([round - 1, round]).toContain(found);
      if (!isAdded) between += 1;
    }
    await added;
    expect([...(await roundsFound())]).toEqual([round]);
  }
  expect(between).toBeGreaterThan(0);
  await vx.close();
});
