/**
 * What the files of a folder are called in an archive of it, which is unpacked on whatever system: a file that one
 * refuses, or takes for another, would be missing there. Called by folder-archive; calls spelling/taken-paths. Source:
 * Windows, "Naming Files, Paths, and Namespaces".
 */
import { foldersAbove } from "../sharing/folders/folder.ts";
import { TakenPaths } from "../spelling/taken-paths.ts";

const REFUSED = /[<>:"|?*]/g;
const DEVICE = /^(?:con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³]|conin\$|conout\$)(?= *(?:\.|$))/i;

/** In their order. Paths as of a folder's list, whose parts end neither in a dot nor in a space. */
export function archivePaths(paths: readonly string[]): string[] {
  const plain = paths.map((path) => path.split("/").map(plainName).join("/"));
  const taken = new TakenPaths(folded, plain.map(folded).flatMap(foldersAbove));
  const isKept = plain.map((path, at) => path === paths[at] && taken.take(path));
  return plain.map((path, at) => (isKept[at] ? path : taken.takeOrNumber(path)));
}

function plainName(name: string): string {
  return name.replace(REFUSED, "_").replace(DEVICE, "$&_");
}

/**
 * Windows and macOS take `a` and `A` for one, and macOS takes letters with their marks beside them for those with them.
 * Lower case alone tells `ς` from `σ`, which are both `Σ`.
 */
function folded(path: string): string {
  return path.normalize().toLowerCase().toUpperCase();
}
