/**
 * Remembers the temporary files of outputs, and the folders that were made for them, so that a process that was killed
 * leaves none behind. Called by fs-files and folders-in-use; calls output-folders. Each folder where some stand has a note in
 * a folder of the data folder: `.shoal-<32 hex digits>.part`, which they are called, too, with a dash and a number behind the
 * digits (by earlier builds without: a note was of one file). Its text is the absolute paths of that folder, and of those that
 * were made on the way there, the innermost first, with a zero byte behind each; early notes have the first alone.
 */
import { open, readdir, readFile, rm, unlink } from "node:fs/promises";
import { join } from "node:path";
import { Coalesced } from "./coalesced.ts";
import { diskError, unlessCode, unlessGone } from "./disk-errors.ts";
import { syncFolder } from "./durable.ts";
import { makeFolders } from "./make-folders.ts";
import { type FoldersOnTheWay, removeIfEmpty } from "./output-folders.ts";

/** Hidden, and so long that no name of a user's own is taken. */
const NOTE_NAME = /^\.shoal-[0-9a-f]{32}\.part$/;
const PARTIAL_NAME = /^(\.shoal-[0-9a-f]{32})(?:-\d+)?(\.part)$/;

/** That of the temporary file with that number, of those that the note is of. */
export function partialName(note: string, number: number): string {
  return note.replace(/(?=\.part$)/, `-${number}`);
}

export class UnfinishedOutputs {
  readonly #folder: string;
  readonly #syncs: Coalesced;

  constructor(folder: string) {
    this.#folder = folder;
    this.#syncs = new Coalesced(() => syncFolder(folder));
  }

  /**
   * Notes durably that temporary files are about to stand in `outputFolder`, and says by which note.
   * @throws SharingError `storage_full`
   */
  async add(outputFolder: string, made: FoldersOnTheWay): Promise<string> {
    const random = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("hex");
    const name = `.shoal-${random}.part`;
    try {
      await this.#note(name, [outputFolder, ...made.map(({ path }) => path), ""].join("\0"));
      await this.#syncs.request();
    } catch (error) {
      // No file is made by it. The next start removes what of it can't be removed now.
      await this.remove(name).catch(() => undefined);
      throw diskError(error);
    }
    return name;
  }

  /** Called when all of the temporary files are gone. */
  async remove(note: string): Promise<void> {
    await unlessGone(unlink(join(this.#folder, note)));
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
    if (NOTE_NAME.test(name)) await removeNoted(folder, name).catch(onError);
  return new UnfinishedOutputs(folder);
}

/** The temporary files and the folders that were made for them and are empty, and then the note of them. */
async function removeNoted(folder: string, note: string): Promise<void> {
  const [outputFolder = "", ...made] = (await readFile(join(folder, note), "utf8")).split("\0");
  if (outputFolder !== "") {
    for (const name of await namesIn(outputFolder))
      if (name.replace(PARTIAL_NAME, "$1$2") === note) await removeFile(join(outputFolder, name));
  }
  for (const path of made.slice(0, -1)) await removeIfEmpty({ path, inode: undefined });
  await removeFile(join(folder, note));
}

async function namesIn(folder: string): Promise<string[]> {
  return (await unlessCode(readdir(folder), ...GONE)) ?? [];
}

async function removeFile(path: string): Promise<void> {
  await unlessCode(rm(path), ...GONE);
}

const GONE = ["ENOENT", "ENOTDIR"];
