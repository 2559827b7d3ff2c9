/**
 * All that the storage worker does, each part for one user in the window. Exposed by workers/blocks.ts through Comlink,
 * started by storage-worker.
 */
import { type ProxyMarked, proxy } from "comlink";
import { BlocksWork } from "../blocks/blocks-work.ts";
import { OpfsFilesWork } from "../files/opfs-files-work.ts";

export class StorageWork {
  /** For IdbBlockStore. */
  readonly blocks: BlocksWork & ProxyMarked = proxy(new BlocksWork());
  /** For the outputs of opfs-files. */
  readonly outputs: OpfsFilesWork & ProxyMarked = proxy(new OpfsFilesWork());

  /** Answered as soon as the thread runs. */
  async started(): Promise<void> {}
}
