/**
 * The vector index of this machine, by the settings, and the folder of its backups. Called by both mains; calls Vx.
 */
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { VxPorts } from "../api/vx/ports.ts";
import type { Closers } from "../sharing/closers.ts";
import { IN_MEMORY } from "../vx/config.ts";
import type { DataFolder } from "./data-folder.ts";
import { openFsBackupFolder } from "./fs-backup-folder.ts";
import { INDEX_STOP_MS } from "./limits.ts";
import type { Logger } from "./log.ts";
import type { Settings } from "./settings/settings.ts";
import { indexConfig } from "./settings/vx-settings.ts";
import { Vx } from "./vx.ts";

/** @throws VxError as Vx.ready says */
export async function openIndex(
  settings: Settings,
  { folder, log, closers }: { folder: DataFolder; log: Logger; closers: Closers },
): Promise<VxPorts> {
  const given = indexConfig(settings);
  const storagePath = given.storagePath ?? folder.indexFolder;
  const ownFolder = storagePath === IN_MEMORY ? folder.indexFolder : storagePath;
  const backupPath = given.backupPath ?? join(ownFolder, "backups");
  const index = new Vx({ ...given, storagePath, backupPath });
  closers.add(() => closeInTime(index, log));
  await index.ready();
  return { index, backups: await openFsBackupFolder(backupPath) };
}

/** All that was acknowledged is durable, so the end of the process may come before the index has closed. */
async function closeInTime(index: Vx, log: Logger): Promise<void> {
  const given = new AbortController();
  const patience = setTimeout(INDEX_STOP_MS, "late" as const, { signal: given.signal }).catch(() => "closed");
  const outcome = await Promise.race([index.close().finally(() => given.abort()), patience]);
  if (outcome === "late") log.warn("the index is left at work; the next start adds what is stored");
}
