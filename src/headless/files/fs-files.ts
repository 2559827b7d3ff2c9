/**
 * Files of this machine: what may be shared, and where downloads go. Opened by main; calls fs-source, fs-folder and
 * fs-output. Relative sources are looked for beneath each share root in turn, relative outputs stand beneath
 * the download root.
 */
import { isAbsolute, resolve } from "node:path";
import { isSharingError, SharingError } from "../../sharing/errors.ts";
import type { Files } from "../../sharing/ports.ts";
import { outputError } from "./disk-errors.ts";
import { FoldersInUse } from "./folders-in-use.ts";
import { listFsFolder } from "./fs-folder.ts";
import { fsOutputPath, openFsOutput } from "./fs-output.ts";
import { openFsSource, type SourceRules } from "./fs-source.ts";
import { joined } from "./joined.ts";
import { makeFolders } from "./make-folders.ts";
import { OutputFolders } from "./output-folders.ts";
import {
  allowedBy,
  checkPathText,
  forbidden,
  isClosed,
  type Root,
  realPathOf,
  resolveExisting,
} from "./path-rules.ts";
import { realShareRoot } from "./share-root.ts";
import { openUnfinishedOutputs } from "./unfinished-outputs.ts";

export interface FsFilesOptions {
  /** Folders that must be there. */
  shareRoots: readonly Root[];
  /** Made when the first output needs it. */
  downloadRoot: string;
  /** Folders and files closed to sources and outputs, whatever the roots; they need not be there yet. */
  closedPaths: readonly string[];
  /** Folder of the data folder for notes on temporary files. */
  unfinishedFolder: string;
  /** Some of what an earlier process left can't be removed now. */
  onError: (error: unknown) => void;
}

/**
 * Removes temporary files that an earlier process left, as far as they can be.
 * @throws SharingError `bad_request` for a share root that is not there
 */
export async function openFsFiles(options: FsFilesOptions): Promise<Files> {
  const inUse = new FoldersInUse(await openUnfinishedOutputs(options.unfinishedFolder, options.onError));
  const folders = new OutputFolders();
  const closedPaths = await Promise.all(options.closedPaths.map(realPathOf));
  const roots = await Promise.all(
    options.shareRoots.map(async ({ path, hidden }) => ({ path: await realShareRoot(path), hidden })),
  );

  const resolveFolder = joined(resolveExisting);
  const rootAt = joined(async (path): Promise<Root> => {
    const place = await realPathOf(path);
    if (isClosed(place, closedPaths)) throw closedRoot();
    await makeFolders(place).catch((error: unknown) => {
      throw outputError(error);
    });
    return { path: place, hidden: true };
  });
  const downloadRoot = () => rootAt(options.downloadRoot);

  async function outputPlace(path: string): Promise<{ place: string; root: Root }> {
    checkPathText(path);
    if (path.endsWith("/")) throw folderNamed();
    const root = await downloadRoot();
    return { place: resolve(root.path, path), root };
  }

  return {
    async openSource(path) {
      checkPathText(path);
      if (/\/\.?$/.test(path)) throw folderNamed();
      const rules = { roots, closedPaths };
      return allowedBy("--share-root", findSource(path, rules, openFsSource));
    },

    async listFolder(path) {
      checkPathText(path);
      return allowedBy("--share-root", findSource(path, { roots, closedPaths }, listFsFolder));
    },

    async openOutput(path, { overwrite }) {
      const { place, root } = await outputPlace(path);
      const rules = { root, closedPaths, resolveFolder, folders, inUse };
      return allowedBy("--download-root", openFsOutput(place, overwrite, rules));
    },

    async outputPath(path, { overwrite }) {
      const { place, root } = await outputPlace(path);
      return allowedBy(
        "--download-root",
        fsOutputPath(place, overwrite, { root, closedPaths, resolveFolder }),
      );
    },

    async openPlaced(path) {
      checkPathText(path);
      const root = await downloadRoot();
      const rules = { roots: [root], closedPaths };
      return allowedBy("--download-root", openFsSource(resolve(root.path, path), rules));
    },
  };
}

/** Said of the root alone: of a path that a client names, nobody learns where the data folder is. */
function closedRoot(): SharingError {
  const reason =
    "the download root is in what is closed to downloads, as the data folder, /proc, /sys and /dev are; see --download-root";
  return new SharingError("path_forbidden", reason);
}

function folderNamed(): SharingError {
  return new SharingError("bad_request", "the path names a folder, not a file");
}

/** A relative path is that of the first root that has it; what the first root says when none has it. */
async function findSource<T>(
  path: string,
  rules: SourceRules,
  open: (path: string, rules: SourceRules) => Promise<T>,
): Promise<T> {
  if (isAbsolute(path)) return await open(path, rules);
  let refusal: unknown;
  for (const root of rules.roots) {
    try {
      return await open(resolve(root.path, path), rules);
    } catch (error) {
      refusal ??= error;
      if (!isSharingError(error, "file_missing", "path_forbidden")) throw error;
    }
  }
  throw refusal ?? forbidden();
}
