/**
 * Remembers the temporary files of outputs, and the folders that were made for them, so that a process that was killed
 * leaves none behind. Called by fs-files and its outputs; calls output-folders. Each is a note in a folder of the data
 * folder: its name that of the temporary file, its text the absolute paths of the folder where that stands, and of
 * those that were made on the way there, the innermost first, with a zero byte behind each; notes of earlier builds
 * have the first alone.
 */
import { open, readdir, readFile, rm, unlink } from "node:fs/promises";
import { join } from "node:path";
import { Coalesced } from "../blocks/coalesced.ts";
import { diskError, hasCode, unlessGone } from "./disk-errors.ts";
import { syncFolder } from "./durable.ts";
import { makeFolders } from "./make-folders.ts";
import { type FoldersOnTheWay, removeIfEmpty } from "./output-folders.ts";

/** Hidden, and so long that no name of a user's own is taken. */
const PARTIAL_NAME = /^\.shoal-[0-9a-f]{32}\.part$/;

export class UnfinishedOutputs {
  readonly #folder: string;
  readonly #syncs: Coalesced;

  constructor(folder: string) {
    this.#folder = folder;
    this.#syncs = new Coalesced(() => syncFolder(folder));
  }

  /** A name for a temporary file in `outputFolder`, noted durably before the file is made. @throws SharingError `storage_full` */
  async add(outputFolder: string, made: FoldersOnTheWay): Promise<string> {
    const random = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("hex");
    const name = `.shoal-${random}.part`;
    try {
      await this.#note(name, [outputFolder, ...made.map(({ path }) => path), ""].join("\0"));
      await this.#syncs.request();
    } catch (error) {
      throw diskError(error);
    }
    return name;
  }

  /** Called when the temporary file is gone. */
  async remove(name: string): Promise<void> {
    await unlessGone(unlink(join(this.#folder, name)));
  }

  async #note(name: string, text: string): Promise<void> {
    const note = await open(join(this.#folder, name), "wx", 0o600);
    try {
      await note.writeFile(text);
      await note.datasync();
    } finally {
      await note.close();
    }
  }
}

/**
 * Removes what an earlier process left, then notes anew. `onError`: told of what can't be removed now, as on a disk
 * that has become read-only; the next start tries again.
 */
export async function openUnfinishedOutputs(
  folder: string,
  onError: (error: unknown) => void,
): Promise<UnfinishedOutputs> {
  await makeFolders(folder, 0o700);
  for (const name of await readdir(folder))
    if (PARTIAL_NAME.test(name)) await removeNoted(folder, name).catch(onError);
  return new UnfinishedOutputs(folder);
}

/** The temporary file and the folders that were made for it and are empty, and then the note of it. */
async function removeNoted(folder: string, name: string): Promise<void> {
  const [outputFolder = "", ...made] = (await readFile(join(folder, name), "utf8")).split("\0");
  if (outputFolder !== "") await removeFile(join(outputFolder, name));
  for (const path of made.slice(0, -1)) await removeIfEmpty({ path, inode: undefined });
  await removeFile(join(folder, name));
}

async function removeFile(path: string): Promise<void> {
  try {
    await rm(path);
  } catch (error) {
    if (!hasCode(error, "ENOENT", "ENOTDIR")) throw error;
  }
}
