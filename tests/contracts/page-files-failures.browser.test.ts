/** What the files of a page promise beyond their contract when their thread ends, the quota is used up, or data is lost. */
import { describe, expect, it } from "vitest";
import { openOpfsFiles } from "../../src/browser/files/opfs-files.ts";
import { startStorageWorker } from "../../src/browser/storage/storage-worker.ts";
import { bytesOf, clearData, freshFolder, limitQuota, MIB, startWorker } from "../browser/page-storage.ts";

describe("the files of a page", () => {
  it("show nothing of an output whose thread was ended, and make room for it at the next start", async () => {
    const root = await freshFolder();
    const worker = await startStorageWorker();
    const files = await openOpfsFiles({ work: worker.work.outputs, root });
    const output = await files.openOutput("folder/movie", { overwrite: false });
    await output.write(0, bytesOf(1));
    worker.stop();

    const next = await openOpfsFiles({ work: (await startWorker()).work.outputs, root });
    await expect(next.openSource("folder/movie")).rejects.toMatchObject({ name: "file_missing" });
    expect(await pathsIn(root)).toEqual([]);
    const again = await next.openOutput("folder/movie", { overwrite: false });
    await again.write(0, bytesOf(2));
    await again.commit(1000);
    expect(await pathsIn(root)).toEqual(["folder/", "folder/movie"]);
  });

  it("are opened, and written, while a former tab that stands still has some of them open", async () => {
    const root = await freshFolder();
    const former = await openOpfsFiles({ work: (await startWorker()).work.outputs, root });
    const held = await former.openOutput("held.bin", { overwrite: false });
    const next = await openOpfsFiles({ work: (await startWorker()).work.outputs, root });
    const output = await next.openOutput("next.bin", { overwrite: false });
    await output.write(0, bytesOf(1));
    await output.commit(1000);
    await held.discard();
  });

  it("go on after the person cleared the site's data", async () => {
    const files = await openOpfsFiles({ work: (await startWorker()).work.outputs });
    const cut = await files.openOutput("cut.bin", { overwrite: false });
    await clearData("file_systems");
    await cut.discard();
    const output = await files.openOutput("next.bin", { overwrite: false });
    await output.write(0, bytesOf(1));
    await output.commit(1000);
    expect(await files.openSource("next.bin")).toMatchObject({ sizeBytes: 1000 });
  });

  it("answer a used-up quota with storage_full, and leave nothing of what is discarded", async () => {
    const root = await freshFolder();
    const files = await openOpfsFiles({ work: (await startWorker()).work.outputs, root });
    const output = await files.openOutput("large", { overwrite: false });
    await limitQuota(1);
    await expect(output.write(0, bytesOf(1, 4 * MIB))).rejects.toMatchObject({ name: "storage_full" });
    await output.discard();
    expect(await pathsIn(root)).toEqual([]);
  });

  it.each([
    [".shoal/index/snapshot", "path_forbidden"],
    ["/.hidden", "path_forbidden"],
    ["a/.b/c", "path_forbidden"],
    ["trailing.", "path_forbidden"],
    ["a\\b", "path_forbidden"],
    ["folder/", "path_forbidden"],
    ["/", "path_forbidden"],
    ["a/".repeat(3000), "bad_request"],
    ["tab\there", "bad_request"],
    ["file/below", "bad_request"],
    ["folder", "bad_request"],
  ])("refuse %j as %s both ways", async (path, name) => {
    const root = await freshFolder();
    const files = await openOpfsFiles({ work: (await startWorker()).work.outputs, root });
    await root.getFileHandle("file", { create: true });
    await root.getDirectoryHandle("folder", { create: true });
    await expect(files.openOutput(path, { overwrite: true })).rejects.toMatchObject({ name });
    await expect(files.openSource(path)).rejects.toMatchObject({ name });
    expect(await pathsIn(root)).toEqual(["file", "folder/"]);
  });
});

/** All that stands in a folder but what is the node's own, folders with a slash. */
async function pathsIn(folder: FileSystemDirectoryHandle, before = ""): Promise<string[]> {
  const paths: string[] = [];
  for await (const [name, entry] of folder.entries()) {
    if (entry.kind === "file") paths.push(before + name);
    else {
      if (name !== ".shoal") paths.push(`${before}${name}/`);
      paths.push(...(await pathsIn(entry as FileSystemDirectoryHandle, `${before}${name}/`)));
    }
  }
  return paths.filter((path) => path !== ".shoal/unfinished/").sort();
}
