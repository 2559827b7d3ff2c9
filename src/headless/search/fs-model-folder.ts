/** A folder of the file system that holds a model of one's own. Used by embed-process; read by search/embedding. */
import { readFile, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { EmbeddingError } from "../../search/embedding/errors.ts";
import type { ModelFolder } from "../../search/embedding/model/model-folder.ts";

export function fsModelFolder(folder: string): ModelFolder {
  const name = basename(resolve(folder));
  return { name, read: (path, maxBytes) => read(join(folder, path), `${name}: ${path}`, maxBytes) };
}

/** `told`: what the file is called in errors, which leave this machine. */
async function read(path: string, told: string, maxBytes: number): Promise<Uint8Array | undefined> {
  try {
    const { size } = await stat(path);
    if (size > maxBytes) throw new EmbeddingError("bad_model", `${told} has more than ${maxBytes} bytes`);
    return await readFile(path);
  } catch (error) {
    if (error instanceof EmbeddingError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new EmbeddingError("bad_model", `${told} can't be read (${code})`, { cause: error });
  }
}
