/** The files that downloads are written to, as one process has them. Those that it left unfinished are gone with it. */
import type { FileOutput, Files } from "../../src/sharing/ports.ts";
import { memoryFiles } from "../unit/sharing/memory-files.ts";
import type { Life } from "./life.ts";
import type { Machine } from "./machine.ts";

export function diskFiles(machine: Machine, life: Life, open: string[]): Files {
  const files = memoryFiles(machine.outputs, open);
  const work = () => machine.work("output", life);
  return {
    ...files,
    async openOutput(path, options): Promise<FileOutput> {
      await work();
      const output = await files.openOutput(path, options);
      return {
        path,
        freeBytes: (writtenBytes) => output.freeBytes(writtenBytes),
        async write(offset, bytes) {
          await work();
          await output.write(offset, bytes);
        },
        async commit(sizeBytes) {
          await work();
          await output.commit(sizeBytes);
        },
        discard: () => output.discard(),
      };
    },
  };
}
