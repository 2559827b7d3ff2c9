/**
 * Several files under one id: a list of them, which is shared like any file and names each by its path and its own id,
 * so that whoever has checked the list can check all of them. Called by folder-sharing, the API, search and the files
 * of both builds; calls file-name and file-id. JSON, so that any editor shows what it holds:
 *
 *   {"type": "shoal-folder", "version": 1, "files": [{"path": "day 1/sea.jpg", "id": "bafk…", "size": 1234}, …]}
 *
 * Sorted by path, so that the same files make the same id. Paths are relative, with slashes, and end up as paths of disks: a
 * stranger's list is taken only as our own builder would have made it, and names nothing hidden, as what programs read by
 * themselves often is.
 */
import { FOLDER_LIST_ENDING, folderListName } from "../../spelling/folder-name.ts";
import { SharingError } from "../errors.ts";
import { parseFileId } from "../file-id.ts";
import { cutToBytes, safeFileName } from "../file-name.ts";
import {
  CHUNK_BYTES,
  MAX_CHUNKS,
  MAX_FOLDER_BYTES,
  MAX_FOLDER_DEPTH,
  MAX_FOLDER_FILES,
  MAX_NAME_BYTES,
} from "../limits.ts";

const TYPE = "shoal-folder";
const VERSION = 1;

/** As long as the id of any file that is shared here, and of the smallest of them. */
const EMPTY_FILE_ID = "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku";

/** A file of a folder. */
export interface FolderFile {
  /** Its place in the folder, parts with slashes between. */
  path: string;
  fileId: string;
  sizeBytes: number;
}

/** What the list of a folder is called as a file. */
export function folderFileName(name: string): string {
  return folderListName(cutToBytes(safeFileName(name), MAX_NAME_BYTES - FOLDER_LIST_ENDING.length));
}

/**
 * A path with names made safe as those of files are, and none of them hidden; what could lead out of the folder stays, for
 * `encodeFolder` to refuse.
 */
export function safeFolderPath(path: string): string {
  return path
    .split("/")
    .map((part) => (["", ".", ".."].includes(part) ? part : safeFileName(part).replace(/^\.+/, "_")))
    .join("/");
}

/** @throws SharingError `bad_request` where `encodeFolder` would, whatever the files at these paths turn out to be */
export function checkFolder(paths: readonly string[]): void {
  encodeFolder(paths.map((path) => ({ path, fileId: EMPTY_FILE_ID, sizeBytes: 0 })));
}

/** @throws SharingError `bad_request` for more files than a folder has */
export function checkFolderCount(files: number): void {
  if (files > MAX_FOLDER_FILES) throw refused(`a folder has at most ${MAX_FOLDER_FILES} files`);
}

/**
 * The bytes of the list.
 * @throws SharingError `bad_request` for no files, too many, two at one place, a path that could leave the folder, or
 * paths that are too long together
 */
export function encodeFolder(files: readonly FolderFile[]): Uint8Array {
  checkFolderPaths(files);
  const sorted = files.toSorted((one, other) => (one.path < other.path ? -1 : 1));
  const entries = sorted.map(({ path, fileId, sizeBytes }) => ({ path, id: fileId, size: sizeBytes }));
  const text = JSON.stringify({ type: TYPE, version: VERSION, files: entries }, undefined, 1);
  const bytes = new TextEncoder().encode(text);
  if (bytes.length > MAX_FOLDER_BYTES)
    throw refused("the paths are too long together: share its folders one by one");
  return bytes;
}

/** @throws SharingError `bad_request` for bytes that are no list of files, or one that `encodeFolder` would not make */
export function decodeFolder(bytes: Uint8Array): FolderFile[] {
  const { type, version, files } = record(parse(bytes));
  if (type !== TYPE || !Array.isArray(files)) throw refused("it is no folder");
  if (version !== VERSION) throw refused("it was made by a later version");
  // Before ids are read, of which a stranger's list may have tens of thousands.
  checkFolderCount(files.length);
  const read = files.map((entry: unknown) => {
    const { path, id, size } = record(entry);
    if (typeof path !== "string" || typeof id !== "string" || !isFileSize(size)) {
      throw refused("an entry names no file");
    }
    return { path, fileId: parseFileId(id).toString(), sizeBytes: size };
  });
  checkFolderPaths(read);
  return read;
}

/** What is done with one file of many; a refusal of it names the file. */
export async function ofFile<T>(path: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // What the node's end breaks off has nothing to do with the file.
    if (!(error instanceof SharingError) || error.name === "stopped") throw error;
    throw new SharingError(error.name, `${path}: ${error.message}`, { cause: error });
  }
}

function parse(bytes: Uint8Array): unknown {
  if (bytes.length > MAX_FOLDER_BYTES) throw refused("it is too long for a folder");
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    throw new SharingError("bad_request", "it is no folder", { cause: error });
  }
}

function record(value: unknown): Record<string, unknown> {
  if (typeof value !== "object" || value === null) throw refused("it is no folder");
  return value as Record<string, unknown>;
}

function isFileSize(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_CHUNKS * CHUNK_BYTES;
}

/** @throws SharingError `bad_request` where `encodeFolder` would, but for paths that are too long together */
function checkFolderPaths(files: readonly Pick<FolderFile, "path">[]): void {
  if (files.length === 0) throw refused("a folder has at least one file");
  checkFolderCount(files.length);
  const taken = new Set<string>();
  const folders = new Set<string>();
  for (const { path } of files) {
    checkPath(path);
    for (const folder of foldersAbove(path)) folders.add(folder);
    if (taken.has(path)) throw refused("two files have the same path");
    taken.add(path);
  }
  for (const path of taken) if (folders.has(path)) throw refused("a file and a folder have the same path");
}

/** The folders on the way to a file, outermost first. */
export function foldersAbove(path: string): string[] {
  const parts = path.split("/");
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join("/"));
}

/** @throws SharingError `bad_request` unless each part is a safe name */
function checkPath(path: string): void {
  const parts = path.split("/");
  if (parts.length > MAX_FOLDER_DEPTH) throw refused(`a path has at most ${MAX_FOLDER_DEPTH} parts`);
  if (parts.some((part) => part !== safeFileName(part) || part.startsWith("."))) {
    throw refused("a path is relative, and its parts are plain names, none hidden, with slashes between");
  }
}

function refused(message: string): SharingError {
  return new SharingError("bad_request", message);
}
