/**
 * The vector index of this machine, by the settings, and the folder of its backups. Called by the mains; calls Vx. An index
 * that is there is loaded at once, beside what else the start does, and a start which can't load it fails in the end; one that
 * is not there yet is made by the first request for it, for its thread takes 60 MB and half a second that a node without
 * vectors need not pay.
 */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { VxPorts } from "../../api/vx/ports.ts";
import type { Closers } from "../../sharing/closers.ts";
import { IN_MEMORY } from "../../vx/config.ts";
import { VxError } from "../../vx/errors.ts";
import { telling } from "../../vx/failure-log.ts";
import { Vx, type VxHost } from "../../vx/vx.ts";
import { CommandError } from "../command-error.ts";
import type { DataFolder } from "../data-folder.ts";
import { hasCode } from "../files/disk-errors.ts";
import { type Logger, toLogPort } from "../log.ts";
import type { Settings } from "../settings/settings.ts";
import { indexConfig } from "../settings/vx-settings.ts";
import { closeInTime } from "./close-in-time.ts";
import { openFsBackupFolder } from "./fs-backup-folder.ts";
import { holdFsIndex } from "./fs-index-storage.ts";
import { nodeVxHost } from "./vx-host.ts";

interface OpenIndexParts {
  folder: DataFolder;
  log: Logger;
  closers: Closers;
  /** True: an index that is not there is made now. */
  makeNow?: boolean;
  /** True: the only client is the process that started this one, whose backups may stand anywhere. */
  isOwnClient?: boolean;
}

export interface HeadlessIndex extends VxPorts {
  /** Settles when what is stored is loaded. @throws VxError as Vx.ready says */
  ready: Promise<void>;
}

/** @throws VxError `invalid_request` (settings), `conflict` (another has the index) */
export async function openIndex(
  settings: Settings,
  { folder, log, closers, makeNow = false, isOwnClient }: OpenIndexParts,
): Promise<HeadlessIndex> {
  const given = indexConfig(settings);
  const storagePath = given.storagePath ?? folder.indexFolder;
  const ownFolder = storagePath === IN_MEMORY ? folder.indexFolder : storagePath;
  const backupPath = given.backupPath ?? join(ownFolder, "backups");
  const onDemand = !makeNow && !(await isStored(storagePath));
  // Nobody else is to make the index meanwhile.
  const holding = onDemand && storagePath !== IN_MEMORY ? holdFsIndex(storagePath) : undefined;
  const held = await holding
    ?.catch(cannotUse("the index's folder", storagePath))
    .catch(ofFolder(storagePath));
  closers.add(async () => held?.close());
  const host: VxHost = {
    async startEngine(engineSettings) {
      await held?.close();
      return nodeVxHost.startEngine(engineSettings);
    },
  };
  const told = telling(host, toLogPort(log, "index"));
  const index = new Vx({ ...given, storagePath, backupPath }, told, {
    onDemand,
    reopen: true,
    passesTexts: true,
  });
  closers.add(() => closeInTime(() => index.close(), log));
  let isLoading = !onDemand;
  const load = async () => {
    if (onDemand) return;
    await index.ready();
    isLoading = false;
  };
  const ready = load().catch(ofFolder(storagePath));
  // What it throws is told to whoever awaits it.
  ready.catch(() => undefined);
  const backups = await openFsBackupFolder(backupPath, isOwnClient).catch(
    given.backupPath === undefined
      ? cannotUse("the index's folder", ownFolder)
      : cannotUse("the folder of backups", backupPath),
  );
  return { index, backups, isLoading: () => isLoading, ready };
}

/** Makes of what the file system says an error that tells what the place is for. @throws CommandError `start_failed` */
function cannotUse(what: string, path: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof Error) || !("syscall" in error)) throw error;
    throw new CommandError("start_failed", `cannot use ${what} ${path}: ${error.message}`, { cause: error });
  };
}

/** Tells whoever starts an index, and no client, of which folder an error is. @throws VxError */
function ofFolder(path: string): (error: unknown) => never {
  return (error) => {
    const codes = ["conflict", "storage_full", "invalid_request"];
    if (!(error instanceof VxError && codes.includes(error.code))) throw error;
    throw new VxError(error.code, `${path}: ${error.message}`, { cause: error });
  };
}

/** Whether there are files of an index; which of them, and whether they are whole, is the engine's matter. */
async function isStored(storagePath: string): Promise<boolean> {
  if (storagePath === IN_MEMORY) return false;
  try {
    const entries = await readdir(storagePath, { withFileTypes: true });
    return entries.some((entry) => entry.isFile());
  } catch (error) {
    if (hasCode(error, "ENOENT")) return false;
    // The engine says what is wrong with it.
    return true;
  }
}
