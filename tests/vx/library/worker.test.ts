import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { nodeVxHost } from "../../../src/headless/vx-host.ts";
import { Vx } from "../../../src/vx/vx.ts";
import { vxContract } from "./vx-contract.ts";

const folders: string[] = [];

afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

async function newPath(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "shoal-vx-"));
  folders.push(folder);
  return join(folder, "new");
}

vxContract("its engine in a worker, on the file system", { host: nodeVxHost, newPath });

it("leaves no folder where it looked for an index and found none", async () => {
  const storagePath = await newPath();
  const vx = new Vx({ storagePath }, nodeVxHost, { create: false });
  await expect(vx.ready()).rejects.toMatchObject({ code: "not_found" });
  expect(await readdir(dirname(storagePath))).toEqual([]);
});

it("makes no backup in the place of a folder", async () => {
  const folder = dirname(await newPath());
  const vx = new Vx({ dimension: 3 }, nodeVxHost);
  await expect(vx.backup(folder)).rejects.toMatchObject({ code: "invalid_request" });
  await expect(vx.restore(folder)).rejects.toMatchObject({ code: "invalid_request" });
  expect(await readdir(folder)).toEqual([]);
  await vx.close();
});
