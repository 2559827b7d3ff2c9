/**
 * A folder of the origin private file system that holds a model of one's own. Used by workers/embed; read by
 * search/embedding.
 */
import { EmbeddingError } from "../../search/embedding/errors.ts";
import type { ModelFolder } from "../../search/embedding/model/model-folder.ts";
import { hasName } from "../storage/medium-errors.ts";
import { folderAt } from "../storage/opfs-folders.ts";

/** @throws EmbeddingError `bad_model` if there is no such folder */
export async function opfsModelFolder(path: string): Promise<ModelFolder> {
  const names = path.split("/").filter((name) => name !== "");
  try {
    const folder = await folderAt(await navigator.storage.getDirectory(), names);
    return { name: names.at(-1) ?? "model", read: (file, maxBytes) => read(folder, file, maxBytes) };
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw new EmbeddingError("bad_model", `There is no folder ${path}`, { cause: error });
  }
}

async function read(
  folder: FileSystemDirectoryHandle,
  path: string,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  const names = path.split("/");
  const fileName = names.pop() as string;
  try {
    const file = await (await (await folderAt(folder, names)).getFileHandle(fileName)).getFile();
    if (file.size > maxBytes) {
      throw new EmbeddingError("bad_model", `${path} has more than ${maxBytes} bytes`);
    }
    return new Uint8Array(await file.arrayBuffer());
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Nothing of that name; a file in place of a folder; a name that none can have. */
function isMissing(error: unknown): boolean {
  return hasName(error, "NotFoundError", "TypeMismatchError", "TypeError");
}
