/**
 * Backup archives: opening one with all that it goes on from, and looking at one that comes from elsewhere. Called by the
 * engine (openArchive) and the hosts' folders of backups; calls found-archives and archive-reader.
 */
import { VxError } from "../errors.ts";
import { ArchiveReader, openArchiveReader } from "./archive-reader.ts";
import { asBackupErrors, damaged } from "./damage.ts";
import { checkEncrypted, sameHistory } from "./file-header.ts";
import { cannotBeRead, openIfOurs, openNamed, type UnreadFile } from "./found-archives.ts";
import { toHex } from "./hex.ts";
import type { ArchivePlace, Folder } from "./index-storage.ts";
import { openKey } from "./key.ts";
import { MAX_CHAIN } from "./limits.ts";
import type { Manifest } from "./manifest.ts";
import { OpenArchive } from "./open-archive.ts";

/**
 * Opens a backup for loading, with the archives that it goes on from, which stand beside it. Close it afterwards.
 * @throws VxError `backup_not_found` (or one that it needs is), `unavailable` (that cannot be read), `backup_corrupt`,
 * `encryption_key_invalid`
 */
export async function openArchive(
  place: ArchivePlace,
  encryptionKey: string | undefined,
): Promise<OpenArchive> {
  return asBackupErrors(place.name, async () => {
    const chain: ArchiveReader[] = [];
    try {
      const newest = await openNamed(place.folder, place.name);
      if (newest === undefined) throw new VxError("backup_not_found", `There is no backup ${place.name}`);
      chain.push(newest);
      for (let oldest = newest; oldest.manifest.base !== undefined; oldest = chain[0] as ArchiveReader) {
        if (chain.length === MAX_CHAIN) throw damaged(place.name, `it goes on from ${MAX_CHAIN} others`);
        chain.unshift(await openBase(place.folder, oldest));
      }
      const { key: facts } = newest.manifest.history;
      checkEncrypted(place.name, facts !== undefined, encryptionKey !== undefined);
      const key = facts && encryptionKey !== undefined ? await openKey(encryptionKey, facts) : undefined;
      for (const archive of chain) await archive.check(key);
      return new OpenArchive(place.name, chain, key);
    } catch (error) {
      for (const archive of chain) await archive.close();
      throw error;
    }
  });
}

/**
 * Whether a file is a backup, whole by its directory and manifest; what is packed in it is looked at when it is restored.
 * Gives when it was made. `givenName`: what the file is to be called. @throws VxError `backup_corrupt`
 */
export async function checkArchive(folder: Folder, name: string, givenName = name): Promise<Date> {
  return asBackupErrors(givenName, async () => {
    const file = await folder.open(name);
    if (file === undefined) throw damaged(givenName, "it is gone");
    try {
      const archive = await openArchiveReader(givenName, file);
      archive.checkEntries();
      return archive.manifest.createdAt;
    } finally {
      await file.close();
    }
  });
}

async function openBase(folder: Folder, archive: ArchiveReader): Promise<ArchiveReader> {
  const { base, after, history } = archive.manifest as Manifest & { base: NonNullable<Manifest["base"]> };
  let unread: UnreadFile | undefined;
  for (const name of [base.name, ...(await folder.list())]) {
    const found = await openIfOurs(folder, name);
    if (found === undefined) continue;
    if (!(found instanceof ArchiveReader)) {
      unread ??= found;
      continue;
    }
    if (toHex(found.manifest.id) === toHex(base.id)) {
      if (found.manifest.last === after && sameHistory(found.manifest.history, history)) return found;
      await found.close();
      throw damaged(archive.name, `it does not go on from ${name}`);
    }
    await found.close();
  }
  if (unread !== undefined) throw cannotBeRead(unread);
  const what = `The backup ${archive.name} goes on from ${base.name}, which is not beside it: bring that one, too`;
  throw new VxError("backup_not_found", what);
}
