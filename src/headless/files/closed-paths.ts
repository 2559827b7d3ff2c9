/** What stands on this machine and is neither shared nor written by clients, whatever the roots. Called by main. */
import { IN_MEMORY } from "../../vx/config.ts";
import type { DataFolder } from "../data-folder.ts";
import type { Settings } from "../settings/settings.ts";

/** The data folder, the index where it stands elsewhere, and files with secrets: the certificate's key and the settings. */
export function closedPaths(
  { "vx-storage-path": index, "tls-key": key }: Settings,
  folder: DataFolder,
  settingsFile: string | undefined,
): string[] {
  const elsewhere = [index === IN_MEMORY ? undefined : index, key, settingsFile];
  return [folder.path, ...elsewhere.filter((path) => path !== undefined)];
}
