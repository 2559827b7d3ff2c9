/** An index in this process, in memory or on disk, and a folder of backups of its own, for the suites of this folder. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { VxPorts } from "../../src/api/vx/ports.ts";
import { locateFsArchive } from "../../src/headless/index/fs-archive-folder.ts";
import { openFsBackupFolder } from "../../src/headless/index/fs-backup-folder.ts";
import { openFsIndexStorage } from "../../src/headless/index/fs-index-storage.ts";
import type { Config } from "../../src/vx/config.ts";
import { openEngine } from "../../src/vx/engine/open-engine.ts";
import { Vx } from "../../src/vx/vx.ts";

export interface OpenedVx extends VxPorts {
  backupPath: string;
  close(): Promise<void>;
}

export async function openVx(
  config: Config = { dimension: 3 },
  medium: "memory" | "disk" = "memory",
): Promise<OpenedVx> {
  const folder = await mkdtemp(join(tmpdir(), "shoal-test-"));
  const backupPath = join(folder, "backups");
  const media = { openStorage: openFsIndexStorage, locateArchive: locateFsArchive };
  const index = new Vx(
    {
      backupPath,
      backupInterval: 0,
      ...(medium === "disk" && { storagePath: join(folder, "index") }),
      ...config,
    },
    { startEngine: (settings) => openEngine(settings, media) },
    // As on the hosts.
    { passesTexts: true },
  );
  await index.ready();
  return {
    index,
    backups: await openFsBackupFolder(backupPath),
    backupPath,
    async close() {
      await index.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
