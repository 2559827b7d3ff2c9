/**
 * What the files of a folder are called in an archive of it, which is unpacked on whatever system: a file that one refuses, or
 * takes for another, would be missing there. Called by folder-archive. Source: Windows, "Naming Files, Paths, and Namespaces".
 */

const REFUSED = /[<>:"|?*]/g;
const DEVICE = /^(?:con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³]|conin\$|conout\$)(?= *(?:\.|$))/i;

/** In their order. Paths as of a folder's list, whose parts end neither in a dot nor in a space. */
export function archivePaths(paths: readonly string[]): string[] {
  const plain = paths.map((path) => path.split("/").map(plainName).join("/"));
  const taken = new Set(plain.flatMap(foldersOf).map(folded));
  return plain.map((path) => untaken(path, taken));
}

function plainName(name: string): string {
  return name.replace(REFUSED, "_").replace(DEVICE, "$&_");
}

/** `a` for `A`: Windows and macOS take them for one, and macOS takes letters with their marks beside them for those with them. */
function folded(path: string): string {
  return path.normalize().toLowerCase();
}

function foldersOf(path: string): string[] {
  const parts = path.split("/");
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join("/"));
}

/** `sea.jpg`, and for the second of that name `sea (2).jpg`. */
function untaken(path: string, taken: Set<string>): string {
  const [, stem = "", ending = ""] = /^(.*?[^/])(\.[^./]*)?$/s.exec(path) ?? [];
  let candidate = path;
  for (let count = 2; taken.has(folded(candidate)); count++) candidate = `${stem} (${count})${ending}`;
  taken.add(folded(candidate));
  return candidate;
}
