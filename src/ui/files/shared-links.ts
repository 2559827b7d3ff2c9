/** What is handed on of files that were shared together. Called by shared-card; calls the client. */
import { foldersOf } from "../folders/folder-of.ts";
import type { AppState } from "../state/app-state.ts";
import type { Shared } from "../state/imports.ts";
import type { NamedFile } from "./file-actions.ts";

type Ports = Pick<AppState, "client" | "fileById">;

/** What was shared before stays as unlisted as it was. */
export function sharedFile({ fileById }: Ports, { fileId, name, sizeBytes, unlisted }: Shared): NamedFile {
  const known = fileById.value.get(fileId);
  return { id: fileId, name, size: sizeBytes, unlisted: known?.unlisted ?? unlisted };
}

/** Several have one link, that of the folder that they make; very many one for each part. @throws what the client throws */
export async function linkedFiles(app: Ports, shared: readonly Shared[]): Promise<NamedFile[]> {
  const files = shared.map((file) => sharedFile(app, file));
  if (files.length === 1) return files;
  const unlisted = files.some((file) => file.unlisted);
  const parts: NamedFile[] = [];
  for (const folder of foldersOf(shared)) {
    const list = await app.client.makeFolder({ ...folder, ...(unlisted && { unlisted }) });
    parts.push({ id: list.file_id, name: list.name, size: list.size, unlisted });
  }
  return parts;
}
