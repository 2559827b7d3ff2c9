/**
 * What the files of a folder are called in an archive of it, which is unpacked on whatever system: a file that one refuses, or
 * takes for another, would be missing there. Called by folder-archive. Source: Windows, "Naming Files, Paths, and Namespaces".
 */

const REFUSED = /[<>:"|?*]/g;
const DEVICE = /^(?:con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³]|conin\$|conout\$)(?= *(?:\.|$))/i;

/** In their order. Paths as of a folder's list, whose parts end neither in a dot nor in a space. */
export function archivePaths(paths: readonly string[]): string[] {
  const plain = paths.map((path) => path.split("/").map(plainName).join("/"));
  const taken: Taken = new Map(
    plain
      .map(folded)
      .flatMap(foldersOf)
      .map((folder) => [folder, 2]),
  );
  const kept = plain.map((path, at) => path === paths[at] && take(path, taken));
  return plain.map((path, at) => (kept[at] ? path : untaken(path, taken)));
}

/** Folded paths, with the number that the next file of that name is tried with: a stranger's folder may have a thousand of one. */
type Taken = Map<string, number>;

function plainName(name: string): string {
  return name.replace(REFUSED, "_").replace(DEVICE, "$&_");
}

/**
 * Windows and macOS take `a` and `A` for one, and macOS takes letters with their marks beside them for those with them. Lower case
 * alone tells `ς` from `σ`, which are both `Σ`.
 */
function folded(path: string): string {
  return path.normalize().toLowerCase().toUpperCase();
}

function foldersOf(path: string): string[] {
  const parts = path.split("/");
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join("/"));
}

/** Whether it was left. */
function take(path: string, taken: Taken): boolean {
  const name = folded(path);
  if (taken.has(name)) return false;
  taken.set(name, 2);
  return true;
}

/** `sea.jpg`, and for the second of that name `sea (2).jpg`. */
function untaken(path: string, taken: Taken): string {
  const [, stem = "", ending = ""] = /^(.*?[^/])(\.[^./]*)?$/s.exec(path) ?? [];
  const name = folded(path);
  let count = taken.get(name) ?? 2;
  let candidate = path;
  for (; !take(candidate, taken); count++) candidate = `${stem} (${count})${ending}`;
  taken.set(name, count);
  return candidate;
}
