/**
 * Folders that are made for outputs, and go again where none comes to stand in them. Called by fs-output; calls make-folders. One
 * that was there, or in which somebody has put something meanwhile, stays.
 */
import { lstat, rmdir, stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { KeyedQueue } from "../../sharing/keyed-queue.ts";
import { hasCode, unlessGone } from "./disk-errors.ts";
import { joined } from "./joined.ts";
import { makeFolders } from "./make-folders.ts";
import { pinFolder } from "./pinned-folder.ts";

interface MadeFolder {
  path: string;
  /** Its number on the disk; undefined while it is being made. */
  inode: bigint | undefined;
  /** How many unfinished outputs are to stand in it, or beneath it. */
  outputs: number;
}

/** What was made on the way to one output, or to others and is not sure to stay: the innermost first. */
export type FoldersOnTheWay = readonly MadeFolder[];

export class OutputFolders {
  readonly #made = new Map<string, MadeFolder>();
  /** Nobody removes a folder that another output is just finding there. A disk that hangs holds up its own outputs alone. */
  readonly #turns = new KeyedQueue(Number.POSITIVE_INFINITY);
  readonly #diskOf = joined(diskOf);

  /** Makes the folder of an output, with all that are missing above it. @throws the system's error */
  async make(folder: string): Promise<FoldersOnTheWay> {
    return await this.#turns.run(await this.#diskOf(folder), async () => {
      try {
        await makeFolders(folder, 0o777, (path) => {
          this.#made.set(path, { path, inode: undefined, outputs: 0 });
        });
        for (const made of this.#onTheWay(folder)) made.inode ??= await inodeOf(made.path);
      } catch (error) {
        await this.#remove(this.#onTheWay(folder));
        throw error;
      }
      const onTheWay = this.#onTheWay(folder);
      for (const made of onTheWay) made.outputs += 1;
      return onTheWay;
    });
  }

  /** The output stands there: nothing more need be known of them. */
  keep(onTheWay: FoldersOnTheWay): void {
    for (const made of onTheWay) this.#forget(made);
  }

  /** Nothing came of the output. */
  async giveBack(onTheWay: FoldersOnTheWay): Promise<void> {
    const [innermost] = onTheWay;
    if (innermost === undefined) return;
    await this.#turns.run(await this.#diskOf(innermost.path), async () => {
      for (const made of onTheWay) made.outputs -= 1;
      await this.#remove(onTheWay);
    });
  }

  #onTheWay(folder: string): FoldersOnTheWay {
    const found: MadeFolder[] = [];
    for (let path = folder; path !== dirname(path); path = dirname(path)) {
      const made = this.#made.get(path);
      if (made !== undefined) found.push(made);
    }
    return found;
  }

  /** Those that are there for nothing. */
  async #remove(folders: FoldersOnTheWay): Promise<void> {
    for (const made of folders) {
      if (made.outputs > 0 || !this.#forget(made)) continue;
      await removeIfEmpty(made);
    }
  }

  /** False where it was kept, or has been removed by others and made anew. */
  #forget(made: MadeFolder): boolean {
    return this.#made.get(made.path) === made && this.#made.delete(made.path);
  }
}

/** That of what exists of the path. */
async function diskOf(path: string): Promise<string> {
  try {
    return String((await stat(path)).dev);
  } catch {
    const parent = dirname(path);
    return parent === path ? "" : await diskOf(parent);
  }
}

async function inodeOf(path: string): Promise<bigint | undefined> {
  const found = await unlessGone(lstat(path, { bigint: true }));
  return found?.ino;
}

/** Another folder that has come to stand there (where its `inode` is told), or to which a link has come to lead, stays. */
export async function removeIfEmpty({ path, inode }: Pick<MadeFolder, "path" | "inode">): Promise<void> {
  try {
    const parent = await pinFolder(dirname(path));
    try {
      const entry = parent.entry(basename(path));
      const isSame = inode === undefined || (await inodeOf(entry)) === inode;
      if (isSame && parent.realPath === dirname(path)) await rmdir(entry);
    } finally {
      await parent.close();
    }
  } catch (error) {
    if (!hasCode(error, ...STAYS, ...IS_GONE)) throw error;
  }
}

const STAYS = ["ENOTEMPTY", "EEXIST", "EACCES", "EPERM", "EROFS", "EBUSY"];
const IS_GONE = ["ENOENT", "ENOTDIR", "ELOOP"];
