/** OpfsFiles and its worker under the contract of files, in a real browser. */
import { afterEach } from "vitest";
import { openOpfsFiles } from "../../src/browser/files/opfs-files.ts";
import { startStorageWorker } from "../../src/browser/storage/storage-worker.ts";
import { filesContract } from "./files.ts";

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

filesContract(async () => {
  const { work, stop } = await startStorageWorker();
  stops.push(stop);
  const origin = await navigator.storage.getDirectory();
  const root = await origin.getDirectoryHandle(crypto.randomUUID(), { create: true });
  const files = await openOpfsFiles({ work: work.outputs, root });

  return {
    files,
    async place(path, bytes) {
      const { folder, name } = await locate(root, path, { create: true });
      const writable = await (await folder.getFileHandle(name, { create: true })).createWritable();
      await writable.write(bytes as Uint8Array<ArrayBuffer>);
      await writable.close();
    },
    async look(outputPath) {
      const { folder, name } = await locate(root, outputPath, { create: false });
      for await (const [found, entry] of folder.entries()) {
        if (found !== name || entry.kind !== "file") continue;
        const file = await (entry as FileSystemFileHandle).getFile();
        return new Uint8Array(await file.arrayBuffer());
      }
      return undefined;
    },
    countOutputs: () => countFiles(root),
    outputFolders: () => foldersIn(root, ""),
  };
});

async function locate(
  root: FileSystemDirectoryHandle,
  path: string,
  options: FileSystemGetDirectoryOptions,
): Promise<{ folder: FileSystemDirectoryHandle; name: string }> {
  const parts = path.split("/");
  const name = parts.pop() ?? "";
  let folder = root;
  for (const part of parts) folder = await folder.getDirectoryHandle(part, options);
  return { folder, name };
}

async function countFiles(folder: FileSystemDirectoryHandle): Promise<number> {
  let count = 0;
  for await (const entry of folder.values()) {
    count += entry.kind === "file" ? 1 : await countFiles(entry as FileSystemDirectoryHandle);
  }
  return count;
}

async function foldersIn(folder: FileSystemDirectoryHandle, path: string): Promise<string[]> {
  const found: string[] = [];
  for await (const entry of folder.values()) {
    if (entry.kind === "file" || entry.name.startsWith(".")) continue;
    found.push(path + entry.name);
    found.push(...(await foldersIn(entry as FileSystemDirectoryHandle, `${path}${entry.name}/`)));
  }
  return found;
}
