/**
 * The folders in which outputs are unfinished. Of a folder's thousands of files most stand side by side: those that are
 * unfinished at the same time have theirs open once, noted once, and made durable together. Called by fs-output; calls
 * pinned-folder and unfinished-outputs.
 */
import { lstat } from "node:fs/promises";
import { Coalesced } from "./coalesced.ts";
import type { FoldersOnTheWay } from "./output-folders.ts";
import { type PinnedFolder, pinFolder } from "./pinned-folder.ts";
import { partialName, type UnfinishedOutputs } from "./unfinished-outputs.ts";

interface Use {
  opening: Promise<FolderInUse>;
  outputs: number;
}

export class FoldersInUse {
  readonly #unfinished: UnfinishedOutputs;
  readonly #uses = new Map<string, Use>();

  constructor(unfinished: UnfinishedOutputs) {
    this.#unfinished = unfinished;
  }

  /** For one output, until it calls `leave`. @throws the system's error */
  async open(path: string): Promise<FolderInUse> {
    const { dev, ino } = await lstat(path, { bigint: true });
    // Another folder may have come to stand there since.
    const key = `${dev}:${ino}:${path}`;
    const use = this.#uses.get(key) ?? this.#begin(key, path);
    use.outputs += 1;
    return await use.opening;
  }

  #begin(key: string, path: string): Use {
    const isLeft = () => {
      use.outputs -= 1;
      return use.outputs === 0 && this.#uses.delete(key);
    };
    const opening = pinFolder(path).then(
      (pinned) => new FolderInUse(pinned, this.#unfinished, isLeft),
      (error: unknown) => {
        this.#uses.delete(key);
        throw error;
      },
    );
    const use: Use = { opening, outputs: 0 };
    this.#uses.set(key, use);
    return use;
  }
}

export class FolderInUse {
  /** When it was opened. */
  readonly realPath: string;
  readonly #pinned: PinnedFolder;
  readonly #unfinished: UnfinishedOutputs;
  readonly #isLeft: () => boolean;
  readonly #syncs: Coalesced;
  /** Names of temporary files that stand there, or come to. */
  readonly #partials = new Set<string>();
  #noting: Promise<string> | undefined;
  #made = 0;

  /** `isLeft`: called as each of its outputs leaves: was it the last? */
  constructor(pinned: PinnedFolder, unfinished: UnfinishedOutputs, isLeft: () => boolean) {
    this.realPath = pinned.realPath;
    this.#pinned = pinned;
    this.#unfinished = unfinished;
    this.#isLeft = isLeft;
    this.#syncs = new Coalesced(() => pinned.sync());
  }

  /** As PinnedFolder has it. */
  entry(name: string): string {
    return this.#pinned.entry(name);
  }

  /** Makes changes of names in the folder durable. */
  async sync(): Promise<void> {
    await this.#syncs.request();
  }

  /**
   * A name for a temporary file, noted durably before the file is made. `onTheWay`: folders that were made for it.
   * @throws SharingError `storage_full`
   */
  async newPartial(onTheWay: FoldersOnTheWay): Promise<string> {
    this.#noting ??= this.#unfinished.add(this.realPath, onTheWay).catch((error: unknown) => {
      this.#noting = undefined;
      throw error;
    });
    const name = partialName(await this.#noting, this.#made++);
    this.#partials.add(name);
    return name;
  }

  /** The temporary file is gone, or has its own name. */
  forget(name: string): void {
    this.#partials.delete(name);
  }

  /** The last to leave takes the note away, unless a temporary file is left for the next start to remove. */
  async leave(): Promise<void> {
    if (!this.#isLeft()) return;
    try {
      if (this.#noting !== undefined && this.#partials.size === 0)
        await this.#unfinished.remove(await this.#noting);
    } finally {
      await this.#pinned.close();
    }
  }
}
