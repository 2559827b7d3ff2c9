/**
 * The vector index of this machine, by the settings, and the folder of its backups. Called by both mains; calls Vx.
 */
import { join } from "node:path";
import type { VxPorts } from "../api/vx/ports.ts";
import { IN_MEMORY } from "../vx/config.ts";
import type { Closers } from "./closers.ts";
import type { DataFolder } from "./data-folder.ts";
import { openFsBackupFolder } from "./fs-backup-folder.ts";
import type { Settings } from "./settings/settings.ts";
import { indexConfig } from "./settings/vx-settings.ts";
import { Vx } from "./vx.ts";

/** @throws VxError as Vx.ready says */
export async function openIndex(
  settings: Settings,
  { folder, closers }: { folder: DataFolder; closers: Closers },
): Promise<VxPorts> {
  const given = indexConfig(settings);
  const storagePath = given.storagePath ?? folder.indexFolder;
  const ownFolder = storagePath === IN_MEMORY ? folder.indexFolder : storagePath;
  const backupPath = given.backupPath ?? join(ownFolder, "backups");
  const index = new Vx({ ...given, storagePath, backupPath });
  closers.add(() => index.close());
  await index.ready();
  return { index, backups: await openFsBackupFolder(backupPath) };
}
