/**
 * The files of a folder as one ZIP archive, made while it is sent: stored as they are, with its length told beforehand, in Zip64
 * where it is long. Called by content; calls client-zip, which a page loads with the first archive.
 */
import type { LocalFile } from "../sharing/catalog/catalog-entry.ts";
import type { SharingNode } from "../sharing/sharing-node.ts";
import { archivePaths } from "./archive-paths.ts";
import { bodyStream } from "./body-stream.ts";
import { contentDisposition } from "./content-disposition.ts";
import { ApiError } from "./errors.ts";
import { readFolder, wholeFiles } from "./folder-list.ts";

/**
 * The answer's body and what is said of it.
 * @throws ApiError 400 for a file that is no folder, 409 where not all of its files are here
 */
export async function folderArchive(
  node: SharingNode,
  list: LocalFile,
  signal: AbortSignal,
): Promise<{ headers: Record<string, string>; open: () => ReadableStream<Uint8Array> }> {
  const { name, files } = await readFolder(node, list.id, signal);
  const whole = wholeFiles(node);
  const absent = files.filter(({ fileId }) => !whole.has(fileId)).length;
  if (absent > 0) throw new ApiError(409, `${absent} of the folder's ${files.length} files are not here yet`);
  const { makeZip, predictLength } = await import("client-zip");
  const names = archivePaths(files.map(({ path }) => path));
  const entries = files.map(({ path, fileId }, at) => {
    // What is here says more of its size than a list that anybody may have written.
    return {
      name: names[at] ?? path,
      fileId,
      size: node.file(fileId).sizeBytes,
      lastModified: list.createdAt,
    };
  });
  return {
    headers: {
      "Content-Type": "application/zip",
      "Content-Length": String(predictLength(entries)),
      "Content-Disposition": contentDisposition("attachment", `${name}.zip`),
    },
    open: () => bodyStream((gone) => chunksOf(makeZip(opened(node, entries, gone))), signal),
  };
}

interface Entry {
  name: string;
  fileId: string;
  size: number;
  lastModified: Date;
}

/** Each as its turn comes; one that is left in the middle is read no further. */
async function* opened(node: SharingNode, entries: readonly Entry[], signal: AbortSignal) {
  for (const { fileId, ...entry } of entries) {
    const bytes = node.read(fileId, { start: 0, end: entry.size }, signal)[Symbol.asyncIterator]();
    try {
      yield { ...entry, input: { [Symbol.asyncIterator]: () => bytes } };
    } finally {
      await bytes.return?.();
    }
  }
}

/** Not every engine iterates over a stream. */
async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    // What it is given up with, client-zip throws at itself.
    await reader.cancel().catch(() => undefined);
  }
}
