/** What a folder or an archive is found by: the names in it. Called by folder-text and packed-text. */
import { MAX_WORD_CHARS } from "../../sharing/limits.ts";
import { MAX_LISTED_NAMES } from "./limits.ts";

/** Parts words of paths that are so long that they would be taken for data. */
export function listedNames(paths: readonly string[], separator = " "): string {
  return paths
    .slice(0, MAX_LISTED_NAMES)
    .map((path) => (path.length > MAX_WORD_CHARS ? path.replace(/[/_.-]+/g, " ") : path))
    .join(separator);
}
