/** FsFiles under the contract of files. */
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { hasCode } from "../../src/headless/files/disk-errors.ts";
import { openFsFiles } from "../../src/headless/files/fs-files.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { filesContract } from "./files.ts";

filesContract(async () => {
  const folder = await temporaryFolder();
  const [shared, downloads, data] = ["shared", "downloads", "data"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await mkdir(shared);
  await mkdir(data);
  await writeFile(join(folder, "secret"), "secret");
  const files = await openFsFiles({
    shareRoots: [{ path: shared, hidden: false }],
    downloadRoot: downloads,
    closedPaths: [data],
    unfinishedFolder: join(data, "unfinished"),
    onError: () => undefined,
  });

  return {
    files,
    async place(path, bytes) {
      await mkdir(dirname(join(shared, path)), { recursive: true });
      await writeFile(join(shared, path), bytes);
    },
    async look(outputPath) {
      return orUndefined(readFile(join(downloads, outputPath)).then((bytes) => new Uint8Array(bytes)));
    },
    async countOutputs() {
      return (await entriesIn(downloads)).filter((entry) => entry.isFile()).length;
    },
    async outputFolders() {
      const folders = (await entriesIn(downloads)).filter((entry) => entry.isDirectory());
      return folders.map(({ parentPath, name }) => relative(downloads, join(parentPath, name)));
    },
  };
});

async function entriesIn(folder: string) {
  return (await orUndefined(readdir(folder, { withFileTypes: true, recursive: true }))) ?? [];
}

async function orUndefined<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
}
