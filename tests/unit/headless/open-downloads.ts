import { join } from "node:path";
import { openFsFiles } from "../../../src/headless/files/fs-files.ts";
import type { Files } from "../../../src/sharing/ports.ts";

/** The files of a node that shares none, whose downloads stand in `downloads` beneath a folder. */
export function openDownloads(top: string): Promise<Files> {
  return openFsFiles({
    shareRoots: [],
    downloadRoot: join(top, "downloads"),
    closedPaths: [],
    unfinishedFolder: join(top, "unfinished"),
    onError: () => undefined,
  });
}
