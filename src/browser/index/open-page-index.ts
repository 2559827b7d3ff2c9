/**
 * The vector index of this origin: its engine in a worker, and the folder of its backups. Called by start-node. The worker
 * starts with the first request that needs it, or at once where an index is stored already.
 */
import type { VxPorts } from "../../api/vx/ports.ts";
import type { Config } from "../../vx/config.ts";
import { telling } from "../../vx/failure-log.ts";
import { Vx } from "../../vx/vx.ts";
import { openPageLog } from "../page-log.ts";
import { isIndexStored } from "./index-presence.ts";
import { PageBackupFolder } from "./page-backup-folder.ts";
import { pageVxHost, VxThread } from "./vx-thread.ts";

/** Hidden from `file_path` and its like, for its name begins with a dot. */
const INDEX_FOLDER = ".shoal/index";
const BACKUP_FOLDER = `${INDEX_FOLDER}/backups`;

export interface PageIndex extends VxPorts {
  /** Lets go of the index, so that another tab may open it. */
  close(): Promise<void>;
  /** The same at once: what is under way fails, what was acknowledged is durable. */
  end(): void;
}

/**
 * Opens the index, or leaves it for the first request where none is stored yet. What goes wrong is told to whoever asks for
 * something, and whoever asks next has it tried again: a tab that hosted the node before may still hold it.
 * @throws VxError `invalid_request` (settings)
 */
export async function openPageIndex(config: Config = {}): Promise<PageIndex> {
  const thread = new VxThread();
  const isStored = await isIndexStored(INDEX_FOLDER);
  const places = { storagePath: INDEX_FOLDER, backupPath: BACKUP_FOLDER };
  const host = telling(pageVxHost(thread), openPageLog("index"));
  const index = new Vx({ ...config, ...places }, host, { onDemand: true, reopen: true, passesTexts: true });
  // What it throws is told to whoever calls a method.
  if (isStored) index.ready().catch(() => undefined);
  return {
    index,
    backups: new PageBackupFolder(BACKUP_FOLDER, thread.archivesIn(BACKUP_FOLDER)),
    async close() {
      if (!thread.isOver) await index.close();
      thread.end();
    },
    end: () => thread.end(),
  };
}
