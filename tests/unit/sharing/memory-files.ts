/** Files that downloads are written to, in memory; there are none to share. */
import { SharingError } from "../../../src/sharing/errors.ts";
import type { FileOutput, Files } from "../../../src/sharing/ports.ts";

export interface MemoryFilesOptions {
  /** Whether outputs take a file of the store for their own bytes. */
  adopts?: boolean;
  /** Room for each output, asked each time; none: as much as it takes. */
  freeBytes?: () => number;
  /** Called when an output is discarded. */
  onDiscard?: () => Promise<void>;
}

/** `outputs`: those that are committed, by path. `open`: paths of those that are neither committed nor discarded. */
export function memoryFiles(
  outputs: Map<string, Uint8Array>,
  open: string[],
  { adopts = false, freeBytes, onDiscard }: MemoryFilesOptions = {},
): Files {
  const close = (path: string) => void open.splice(open.indexOf(path), 1);
  const expectFree = (path: string, overwrite: boolean) => {
    if (outputs.has(path) && !overwrite) throw new SharingError("output_exists", "The output exists");
  };
  return {
    openSource: async () => {
      throw new SharingError("file_missing", "no files here");
    },
    listFolder: async () => {
      throw new SharingError("file_missing", "no folders here");
    },
    async openPlaced(path) {
      const bytes = outputs.get(path);
      if (bytes === undefined) throw new SharingError("file_missing", "there is no such file");
      return {
        name: path,
        sizeBytes: bytes.length,
        async *stream() {
          yield bytes;
        },
      };
    },
    async outputPath(path, { overwrite }) {
      expectFree(path, overwrite);
      return path;
    },
    async openOutput(path, { overwrite }): Promise<FileOutput> {
      expectFree(path, overwrite);
      const parts: { offset: number; bytes: Uint8Array }[] = [];
      open.push(path);
      return {
        path,
        freeBytes: async () => freeBytes?.() ?? Number.POSITIVE_INFINITY,
        adopt: async () => adopts,
        async write(offset, bytes) {
          parts.push({ offset, bytes: bytes.slice() });
        },
        async commit(sizeBytes) {
          expectFree(path, overwrite);
          const whole = new Uint8Array(sizeBytes);
          for (const { offset, bytes } of parts) whole.set(bytes, offset);
          outputs.set(path, whole);
          close(path);
        },
        async discard() {
          close(path);
          await onDiscard?.();
        },
      };
    },
  };
}
