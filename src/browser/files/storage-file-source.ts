/**
 * A file of the origin private file system to share. Called by opfs-files; its bytes are read from the disk as they are
 * asked for.
 */
import { SharingError } from "../../sharing/errors.ts";
import type { FileSource } from "../../sharing/ports.ts";
import { nextTurn } from "../../vx/turns.ts";
import { isAbsent } from "../storage/idb-errors.ts";

export function fileSource(file: File): FileSource {
  return {
    name: file.name,
    sizeBytes: file.size,
    async *stream(signal) {
      signal.throwIfAborted();
      try {
        for await (const piece of file.stream()) {
          signal.throwIfAborted();
          yield piece;
          // Pieces that are there already would all be hashed in one task.
          await nextTurn();
        }
      } catch (error) {
        if (!isAbsent(error)) throw error;
        throw new SharingError("file_missing", "the file was changed or removed while it was read", {
          cause: error,
        });
      }
    },
  };
}
