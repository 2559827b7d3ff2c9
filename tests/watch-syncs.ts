/** What a test's files and folders have made durable, in which order. Used by tests of what survives power loss. */
import { type FileHandle, open, readdir, readFile, readlink } from "node:fs/promises";
import { relative } from "node:path";
import { vi } from "vitest";

/** What is made durable from now on: of files their data, of folders the names that stand in them by then. */
export async function watchSyncs(root: string): Promise<string[]> {
  const handle = await open(root);
  await handle.close();
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  const synced: string[] = [];
  for (const kind of ["sync", "datasync"] as const) {
    const sync = prototype[kind];
    vi.spyOn(prototype, kind).mockImplementation(async function (this: FileHandle) {
      const path = await readlink(`/proc/self/fd/${this.fd}`);
      const isFolder = (await this.stat()).isDirectory();
      const name = relative(root, path);
      synced.push(
        isFolder ? `${name}/ ${(await readdir(path)).sort()}` : `${name} ${await readFile(path, "utf8")}`,
      );
      await sync.call(this);
    });
  }
  return synced;
}
