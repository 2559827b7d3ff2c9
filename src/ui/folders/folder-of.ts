/**
 * The folder that files make which were shared together: with its own name and tree where they all come from one folder, else a
 * plain list of them, called after the first. Of more files than a folder has, several, each a part. Called by shared-links and
 * shared-card.
 */
import type { FolderRequest } from "../../api/folders.ts";
import { TakenPaths } from "../../spelling/taken-paths.ts";
import { byPath } from "../elements/by-name.ts";
import { MAX_FILES_TOGETHER, MAX_PARTED_NAME_BYTES } from "../limits.ts";
import type { Shared } from "../state/imports.ts";

/** As much of a file's name as is read at a glance. */
const MAX_STEM_LETTERS = 40;

/** Files that stand together in a folder come together in its parts. */
export function foldersOf(shared: readonly Shared[]): FolderRequest[] {
  const whole = folderOf(shared);
  const count = partCount(shared.length);
  if (count === 1) return [whole];
  const sorted = whole.files.toSorted(byPath);
  const name = cutToBytes(whole.name, MAX_PARTED_NAME_BYTES);
  return Array.from({ length: count }, (_, at) => ({
    name: `${name}, part ${at + 1} of ${count}`,
    files: sorted.slice(at * MAX_FILES_TOGETHER, (at + 1) * MAX_FILES_TOGETHER),
  }));
}

export function partCount(files: number): number {
  return Math.ceil(files / MAX_FILES_TOGETHER);
}

function folderOf(shared: readonly Shared[]): FolderRequest {
  const common = commonFolder(shared.map(({ path }) => path));
  const taken = new TakenPaths();
  const files = shared.map(({ fileId, path, name }) => {
    // The node may have made the name safe.
    const folders = path.split("/").slice(common === undefined ? 0 : 1, -1);
    return { file_id: fileId, path: taken.takeOrNumber([...folders, name].join("/")) };
  });
  return { name: common ?? nameAfter(shared), files };
}

/** `sea and 11 more`, told apart from others that are shared so. */
function nameAfter([first, ...others]: readonly Shared[]): string {
  const stem = first?.name.replace(/(?<=.)\.[^.]*$/s, "") ?? "";
  return `${[...stem].slice(0, MAX_STEM_LETTERS).join("")} and ${others.length} more`;
}

/** Never ends inside a letter. */
function cutToBytes(text: string, maxBytes: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes));
  return text.slice(0, read);
}

/** The folder that all of them were in. */
export function commonFolder(paths: readonly string[]): string | undefined {
  const [first = "", ...others] = paths.map((path) => (path.includes("/") ? path.split("/")[0] : undefined));
  return first !== "" && others.every((folder) => folder === first) ? first : undefined;
}
