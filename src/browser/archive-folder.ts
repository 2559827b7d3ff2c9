/** A folder of archives in the browser: what the index writes backups to, and the page lists. Both media give one. */
import type { DatedFolder } from "../vx/storage/index-storage.ts";

export interface ArchiveFolder extends DatedFolder {
  /** Removes what was being written when its thread ended. */
  removePartials(): Promise<void>;
}
