/** What a backup holds and needs, in words. Called by backups. */
import type { Client } from "../../client/vx-client.ts";

export type BackupEntry = Awaited<ReturnType<Client["backups"]>>[number];

/** `byName`: the backups of the same folder. */
export function contentsOf(entry: BackupEntry, byName: ReadonlyMap<string, BackupEntry>): string {
  if (entry.kind === "unreadable") return "Can't be read: damaged, no backup, or of a later version";
  if (entry.kind === "full") return "All of the index";
  const missing = "What changed; can't be restored, since an earlier backup is missing";
  return isWhole(entry, byName) ? `What changed since ${entry.base}` : missing;
}

/** Whether all are there that it goes on from, back to a full one. */
function isWhole(entry: BackupEntry, byName: ReadonlyMap<string, BackupEntry>): boolean {
  const passed = new Set<BackupEntry>();
  let at: BackupEntry | undefined = entry;
  while (at?.kind === "incremental" && !passed.has(at)) {
    passed.add(at);
    at = at.base === null ? undefined : byName.get(at.base);
  }
  return at?.kind === "full";
}
