/**
 * A download's file, written beside its place under a hidden name, or linked there, and shown all at once. Made by
 * fs-files; calls path-rules and folders-in-use. The folder is held open from the check to the end, so that the file lands where
 * it was allowed.
 */
import { chmod, constants, link, lstat, rename, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { SharingError } from "../../sharing/errors.ts";
import type { FileOutput } from "../../sharing/ports.ts";
import { DirectFile } from "./direct-file.ts";
import { diskError, hasCode, outputError, unlessGone } from "./disk-errors.ts";
import type { FolderInUse, FoldersInUse } from "./folders-in-use.ts";
import { freeBytesAt } from "./free-bytes.ts";
import type { FoldersOnTheWay, OutputFolders } from "./output-folders.ts";
import { forbidden, isAllowed, type ResolvedPath, type Root } from "./path-rules.ts";
import { CANT_LINK, renameUnlessTaken } from "./rename-unless-taken.ts";

/** What POSIX counts the room of a file in, whatever the blocks of its disk are. */
const STAT_BLOCK_BYTES = 512;

export interface PlaceRules {
  root: Root;
  closedPaths: readonly string[];
  /** As `resolveExisting` does. */
  resolveFolder: (path: string) => Promise<ResolvedPath>;
}

export interface OutputRules extends PlaceRules {
  folders: OutputFolders;
  inUse: FoldersInUse;
}

/** `path` is absolute. @throws SharingError `path_forbidden`, `output_exists`, `bad_request`, `storage_full` */
export async function openFsOutput(
  path: string,
  overwrite: boolean,
  rules: OutputRules,
): Promise<FileOutput> {
  const { folders, inUse } = rules;
  const { wanted, name } = await allowedPlace(path, rules);
  const onTheWay = await folders.make(wanted).catch(refuseFolder);
  try {
    const folder = await inUse.open(wanted).catch(refuseFolder);
    try {
      checkAllowed(folder.realPath, name, rules);
      await checkFree(folder.entry(name), overwrite);
      const partialName = await folder.newPartial(onTheWay);
      const file = await createPartial(folder, partialName);
      return new FsOutput({ folder, onTheWay, name, partialName, file, overwrite, folders });
    } catch (error) {
      await folder.leave();
      throw error;
    }
  } catch (error) {
    await folders.giveBack(onTheWay);
    throw error;
  }
}

/**
 * Where it would stand, and whether something does.
 * @throws as `openFsOutput` does, as far as can be told without making anything
 */
export async function fsOutputPath(path: string, overwrite: boolean, rules: PlaceRules): Promise<string> {
  const { wanted, name } = await allowedPlace(path, rules);
  const place = join(wanted, name);
  await checkFree(place, overwrite);
  return place;
}

/** `wanted`: its folder, which need not be there yet. */
async function allowedPlace(path: string, rules: PlaceRules): Promise<{ wanted: string; name: string }> {
  const name = basename(path);
  const { real, missing } = await rules.resolveFolder(dirname(path));
  const wanted = join(real, ...missing);
  checkAllowed(wanted, name, rules);
  return { wanted, name };
}

async function createPartial(folder: FolderInUse, name: string): Promise<DirectFile> {
  const flags = constants.O_CREAT | constants.O_EXCL | constants.O_RDWR | constants.O_NOFOLLOW;
  try {
    return await DirectFile.open(folder.entry(name), flags, 0o666);
  } catch (error) {
    folder.forget(name);
    throw goneOr(error);
  }
}

function checkAllowed(folder: string, name: string, { root, closedPaths }: PlaceRules): void {
  if (!isAllowed(join(folder, name), [root], closedPaths)) throw forbidden();
}

/** Says why the folder of an output can't be made, or opened. */
function refuseFolder(error: unknown): never {
  if (hasCode(error, "ENOTDIR", "EEXIST")) {
    throw new SharingError("bad_request", "a file stands where the path needs a folder", { cause: error });
  }
  if (hasCode(error, "ELOOP", "ENOENT")) throw forbidden(error);
  if (hasCode(error, "ENAMETOOLONG")) throw new SharingError("bad_request", "a name in the path is too long");
  throw outputError(error);
}

async function checkFree(place: string, overwrite: boolean): Promise<void> {
  try {
    const found = await lstat(place);
    if (!overwrite) throw outputExists(found.isDirectory() ? "folder" : "file");
    if (!found.isFile()) throw new SharingError("bad_request", "only a regular file can be overwritten");
  } catch (error) {
    if (hasCode(error, "ENAMETOOLONG")) throw new SharingError("bad_request", "the name is too long");
    if (hasCode(error, "ENOTDIR")) refuseFolder(error);
    if (!hasCode(error, "ENOENT")) throw outputError(error);
  }
}

interface FsOutputParts {
  folder: FolderInUse;
  onTheWay: FoldersOnTheWay;
  name: string;
  partialName: string;
  file: DirectFile;
  overwrite: boolean;
  folders: OutputFolders;
}

class FsOutput implements FileOutput {
  readonly path: string;
  readonly #parts: FsOutputParts;
  /** Where what was written ends. */
  #endBytes = 0;
  /** The file has been adopted: its owner has made it durable. */
  #isAdopted = false;
  #ended = false;

  constructor(parts: FsOutputParts) {
    this.#parts = parts;
    this.path = join(parts.folder.realPath, parts.name);
  }

  async freeBytes(writtenBytes: number): Promise<number> {
    const freeBytes = await freeBytesAt(this.#parts.folder.entry("."));
    return freeBytes + (this.#isAdopted ? Math.max(0, (await this.#takenBytes()) - writtenBytes) : 0);
  }

  async write(offset: number, bytes: Uint8Array): Promise<void> {
    this.#check();
    try {
      await this.#parts.file.write(bytes, offset);
      this.#endBytes = Math.max(this.#endBytes, offset + bytes.byteLength);
    } catch (error) {
      throw diskError(error);
    }
  }

  async adopt(path: string): Promise<boolean> {
    this.#check();
    const { folder, onTheWay, partialName } = this.#parts;
    const linkName = await folder.newPartial(onTheWay);
    try {
      const { mode } = await lstat(folder.entry(partialName));
      await link(path, folder.entry(linkName));
      await chmod(path, mode & 0o777);
    } catch (error) {
      await removePartial(folder, linkName);
      if (hasCode(error, ...CANT_LINK)) return false;
      throw goneOr(error);
    }
    this.#parts.partialName = linkName;
    this.#isAdopted = true;
    await removePartial(folder, partialName);
    return true;
  }

  async commit(sizeBytes: number): Promise<void> {
    this.#check();
    const { folder, name, partialName, overwrite } = this.#parts;
    const [partial, target] = [folder.entry(partialName), folder.entry(name)];
    try {
      if (!this.#isAdopted) await this.#finish(sizeBytes);
      if (overwrite) await rename(partial, target);
      else await renameUnlessTaken(partial, target);
      await folder.sync();
    } catch (error) {
      if (hasCode(error, "EEXIST", "EISDIR")) await checkFree(folder.entry(name), overwrite);
      throw hasCode(error, "EEXIST") ? outputExists() : goneOr(error);
    }
    const { folders, onTheWay } = this.#parts;
    folders.keep(onTheWay);
    await this.#end({ isShown: true });
  }

  async discard(): Promise<void> {
    if (this.#ended) return;
    const { folders, onTheWay } = this.#parts;
    try {
      await this.#end();
    } finally {
      await folders.giveBack(onTheWay);
    }
  }

  #check(): void {
    if (this.#ended) throw new SharingError("stopped", "the output has been committed or discarded");
  }

  /** Of the disk, by its file. */
  async #takenBytes(): Promise<number> {
    const { folder, partialName } = this.#parts;
    const { blocks } = await lstat(folder.entry(partialName)).catch((error: unknown) => {
      throw goneOr(error);
    });
    return blocks * STAT_BLOCK_BYTES;
  }

  async #finish(sizeBytes: number): Promise<void> {
    if (sizeBytes !== this.#endBytes) await this.#parts.file.truncate(sizeBytes);
    await this.#parts.file.datasync();
  }

  /** `isShown`: the temporary file has its name, and nothing else is left of it. */
  async #end({ isShown = false } = {}): Promise<void> {
    this.#ended = true;
    const { folder, partialName, file } = this.#parts;
    try {
      await file.close();
      if (isShown) folder.forget(partialName);
      else await removePartial(folder, partialName);
    } finally {
      await folder.leave();
    }
  }
}

async function removePartial(folder: FolderInUse, name: string): Promise<void> {
  await unlessGone(unlink(folder.entry(name)));
  folder.forget(name);
}

/** Who tidies up may take the hidden file away, or the folder with it. All else as `outputError` has it. */
function goneOr(error: unknown): unknown {
  if (!hasCode(error, "ENOENT")) return outputError(error);
  return new SharingError("file_missing", "the unfinished file was removed; resume writes it again", {
    cause: error,
  });
}

function outputExists(what: "file" | "folder" = "file"): SharingError {
  const remedy = what === "file" ? " (overwrite replaces it)" : "";
  return new SharingError("output_exists", `a ${what} of that name exists already${remedy}`);
}
