/**
 * Writes a backup archive: files of the index, cut into parts, and the manifest. Called by backups; calls zip-writer.
 * Holds one part at a time.
 */
import { VxError } from "../errors.ts";
import type { ArchivePlace, Folder } from "./index-storage.ts";
import type { IndexKey } from "./key.ts";
import { ENTRY_BYTES, MAX_ENTRIES } from "./limits.ts";
import {
  type ArchivedFileFacts,
  encodeManifest,
  MANIFEST,
  type Manifest,
  manifestCipher,
  partCount,
  partName,
  SEAL,
} from "./manifest.ts";
import { ZipWriter } from "./zip-writer.ts";

/** The manifest and its seal. */
const OWN_ENTRIES = 2;

/** A file to archive: its first bytes, which no one changes meanwhile. */
export interface ArchivedSource {
  name: string;
  sizeBytes: number;
}

export interface WritingOptions {
  compress: boolean;
  key: IndexKey | undefined;
  /** Called when all is written, before it stands in its place. What it throws is thrown, and nothing is there then. */
  beforeCommit?: () => Promise<void>;
}

/**
 * @throws VxError `conflict` if a file stands at the place, `capacity_exceeded` if an archive can't hold so much,
 * `storage_full`
 */
export async function writeArchive(
  place: ArchivePlace,
  folder: Folder,
  manifest: Omit<Manifest, "files"> & { files: ArchivedSource[] },
  { compress, key, beforeCommit }: WritingOptions,
): Promise<{ sizeBytes: number }> {
  checkRoom(manifest.files);
  await checkFree(place);
  const file = await place.folder.create(place.name);
  try {
    const zip = new ZipWriter(file, manifest.createdAt);
    const files: ArchivedFileFacts[] = [];
    for (const source of manifest.files) {
      const compressed = compress && key === undefined;
      files.push({ ...source, digests: await addFile(zip, folder, source, compressed) });
    }
    const bytes = encodeManifest({ ...manifest, files });
    await zip.add(MANIFEST, bytes, { compress });
    if (key !== undefined) {
      const cipher = await manifestCipher(key, manifest.id);
      await zip.add(SEAL, await cipher.seal(0, new Uint8Array(0), bytes), { compress: false });
    }
    const sizeBytes = await zip.finish();
    await beforeCommit?.();
    // An upload may have come to stand there meanwhile, of which somebody was told that it is kept.
    await checkFree(place);
    await file.commit();
    return { sizeBytes };
  } catch (error) {
    await file.discard();
    throw error;
  }
}

async function checkFree({ folder, name }: ArchivePlace): Promise<void> {
  const existing = await folder.open(name);
  if (existing === undefined) return;
  await existing.close();
  throw new VxError("conflict", `There is a backup ${name} already`);
}

/** So that each archive that is written can be restored. */
function checkRoom(files: ArchivedSource[]): void {
  const parts = files.reduce((total, { sizeBytes }) => total + partCount(sizeBytes), 0);
  const most = MAX_ENTRIES - OWN_ENTRIES;
  if (parts <= most) return;
  const what = `The backup would have ${parts} parts of ${ENTRY_BYTES} bytes; an archive holds ${most}`;
  throw new VxError("capacity_exceeded", what);
}

async function addFile(
  zip: ZipWriter,
  folder: Folder,
  { name, sizeBytes }: ArchivedSource,
  compress: boolean,
): Promise<Uint8Array<ArrayBuffer>[]> {
  const file = await folder.open(name);
  if (file === undefined) throw new VxError("internal", `The index has lost its file ${name}`);
  const digests: Uint8Array<ArrayBuffer>[] = [];
  try {
    for (let offset = 0; offset < sizeBytes; offset += ENTRY_BYTES) {
      const part = new Uint8Array(Math.min(ENTRY_BYTES, sizeBytes - offset));
      await file.read(offset, part);
      await zip.add(partName(name, digests.length), part, { compress });
      digests.push(new Uint8Array(await crypto.subtle.digest("SHA-256", part)));
    }
  } finally {
    await file.close();
  }
  return digests;
}
