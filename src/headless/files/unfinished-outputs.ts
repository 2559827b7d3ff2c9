/**
 * Remembers the temporary files of outputs, so that a process that was killed leaves none behind. Called by
 * FsFiles and its outputs; calls node:fs. Each is a note in a folder of the data folder: its name that of the
 * temporary file, its text the absolute path of the folder where that stands.
 */
import { open, readdir, readFile, rm, unlink } from "node:fs/promises";
import { join } from "node:path";
import { diskError, hasCode, unlessGone } from "./disk-errors.ts";
import { makeFolders } from "./make-folders.ts";

/** Hidden, and so long that no name of a user's own is taken. */
const PARTIAL_NAME = /^\.shoal-[0-9a-f]{32}\.part$/;

export class UnfinishedOutputs {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** A name for a temporary file in `outputFolder`, noted before the file is made. @throws SharingError `storage_full` */
  async add(outputFolder: string): Promise<string> {
    const random = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("hex");
    const name = `.shoal-${random}.part`;
    try {
      await this.#note(name, outputFolder);
    } catch (error) {
      throw diskError(error);
    }
    return name;
  }

  /** Called when the temporary file is gone. */
  async remove(name: string): Promise<void> {
    await unlessGone(unlink(join(this.#folder, name)));
  }

  async #note(name: string, outputFolder: string): Promise<void> {
    const note = await open(join(this.#folder, name), "wx", 0o600);
    try {
      await note.writeFile(outputFolder);
      await note.datasync();
    } finally {
      await note.close();
    }
  }
}

/**
 * Removes what an earlier process left, then notes anew. `onError`: told of what can't be removed now, as on a disk that has become
 * read-only; the next start tries again.
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

/** The temporary file, and then the note of it. */
async function removeNoted(folder: string, name: string): Promise<void> {
  const outputFolder = await readFile(join(folder, name), "utf8");
  if (outputFolder !== "") await removeFile(join(outputFolder, name));
  await removeFile(join(folder, name));
}

async function removeFile(path: string): Promise<void> {
  try {
    await rm(path);
  } catch (error) {
    if (!hasCode(error, "ENOENT", "ENOTDIR")) throw error;
  }
}
