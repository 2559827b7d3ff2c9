/** A folder of the file system that holds a model of one's own. Used by embed-worker; read by search/embedding. */
import { readFile, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { EmbeddingError } from "../search/embedding/errors.ts";
import type { ModelFolder } from "../search/embedding/model/model-folder.ts";

export function fsModelFolder(folder: string): ModelFolder {
  const name = basename(resolve(folder));
  return { name, read: (path, maxBytes) => read(join(folder, path), maxBytes) };
}

async function read(path: string, maxBytes: number): Promise<Uint8Array | undefined> {
  try {
    const { size } = await stat(path);
    if (size > maxBytes) throw new EmbeddingError("bad_model", `${path} has more than ${maxBytes} bytes`);
    return await readFile(path);
  } catch (error) {
    if (error instanceof EmbeddingError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new EmbeddingError("bad_model", `${path} can't be read: ${message}`, { cause: error });
  }
}
