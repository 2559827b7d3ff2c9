/** A folder of archives in the browser: what the index writes backups to, and the page lists. Both media give one. */
import type { Folder } from "../vx/storage/index-storage.ts";

export interface ArchiveFacts {
  sizeBytes: number;
  writtenAt: Date;
}

export interface ArchiveFolder extends Folder {
  /** Undefined if there is no such file. */
  describe(name: string): Promise<ArchiveFacts | undefined>;
  /** Removes what was being written when its thread ended. */
  removePartials(): Promise<void>;
}
