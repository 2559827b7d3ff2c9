/**
 * Files where the engine keeps the origin private file system from the page, as a private window of Firefox does: the node
 * runs, and what names a path is refused. Given by opfs-files.
 */
import { SharingError } from "../../sharing/errors.ts";
import type { Files } from "../../sharing/ports.ts";

export function noFiles(): Files {
  const refuse = async () => {
    throw new SharingError(
      "path_forbidden",
      "The browser keeps its private file system from this page, as in a private window, so there are no paths here",
    );
  };
  return {
    openSource: refuse,
    openPlaced: refuse,
    listFolder: refuse,
    openOutput: refuse,
    outputPath: refuse,
  };
}
