import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { nodeVxHost } from "../../../src/headless/vx-host.ts";
import { vxContract } from "./vx-contract.ts";

const folders: string[] = [];

afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

vxContract("its engine in a worker, on the file system", {
  host: nodeVxHost,
  async newPath() {
    const folder = await mkdtemp(join(tmpdir(), "shoal-vx-"));
    folders.push(folder);
    return join(folder, "new");
  },
});
