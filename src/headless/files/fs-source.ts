/**
 * A file on this machine that is read to be shared. Made by fs-files; calls path-rules. Checked before it is
 * opened (so that no device or FIFO is ever opened) and again on the open file (so that nothing can be swapped
 * in between); one that is written meanwhile is refused at the end, as browsers refuse theirs.
 */
import { type BigIntStats, constants } from "node:fs";
import { type FileHandle, lstat, open } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { SharingError } from "../../sharing/errors.ts";
import type { FileSource } from "../../sharing/ports.ts";
import { SOURCE_READ_BYTES, SOURCE_READS_AHEAD } from "../limits.ts";
import { hasCode } from "./disk-errors.ts";
import { readFully } from "./durable.ts";
import { forbidden, isAllowed, type Root, resolveExisting } from "./path-rules.ts";
import { openedPath } from "./pinned-folder.ts";
import { refuseUndecodable } from "./undecodable-name.ts";

export interface SourceRules {
  roots: readonly Root[];
  closedPaths: readonly string[];
}

/** @throws SharingError `path_forbidden`, `file_missing`, `bad_request` */
export async function openFsSource(path: string, rules: SourceRules): Promise<FileSource> {
  const { real, missing } = await resolveExisting(path);
  if (!isAllowed([real, ...missing].join("/"), rules.roots, rules.closedPaths)) throw forbidden();
  const [absent] = missing;
  if (absent !== undefined) {
    await refuseUndecodable(real, absent);
    throw gone();
  }

  const handle = await openRegular(real, rules);
  const opened = await handle.stat({ bigint: true }).finally(() => handle.close());
  const sizeBytes = Number(opened.size);

  return {
    // A link to a file is shared as the link is called.
    name: basename(resolve(path)),
    sizeBytes,
    async *stream(signal) {
      signal.throwIfAborted();
      const again = await openRegular(real, rules);
      try {
        await expectUnchanged(again, opened);
        yield* readAhead(again, sizeBytes, signal);
        // Else half of what was being written would be shared for the whole.
        await expectUnchanged(again, opened);
      } finally {
        await again.close();
      }
    },
  };
}

async function openRegular(real: string, { roots, closedPaths }: SourceRules): Promise<FileHandle> {
  try {
    const found = await lstat(real);
    if (found.isDirectory()) throw new SharingError("bad_request", "the path is a folder, not a file");
    if (!found.isFile()) throw new SharingError("path_forbidden", "only a regular file can be shared");
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const handle = await open(real, flags);
    try {
      const isFile = (await handle.stat()).isFile();
      if (!isFile || !isAllowed(await openedPath(handle, real), roots, closedPaths)) throw forbidden();
      return handle;
    } catch (error) {
      await handle.close();
      throw error;
    }
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) throw gone();
    if (hasCode(error, "EACCES", "EPERM")) {
      throw new SharingError("path_forbidden", "the node may not read this file", { cause: error });
    }
    if (hasCode(error, "ELOOP", "ENXIO")) throw forbidden(error);
    throw error;
  }
}

/** A file is told by more than its number, which the next one gets once the first is removed. */
const UNCHANGED = ["ino", "dev", "birthtimeNs", "size", "mtimeNs"] as const;

async function expectUnchanged(handle: FileHandle, opened: BigIntStats): Promise<void> {
  const now = await handle.stat({ bigint: true });
  if (UNCHANGED.some((field) => now[field] !== opened[field])) throw changed();
}

/** The file's pieces in order, with a few reads under way before they are asked for; their buffers go round. */
async function* readAhead(
  handle: FileHandle,
  sizeBytes: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const reads: Promise<Uint8Array>[] = [];
  const spare: Uint8Array[] = [];
  let offset = 0;
  try {
    while (reads.length > 0 || offset < sizeBytes) {
      while (offset < sizeBytes && reads.length < SOURCE_READS_AHEAD) {
        const buffer = spare.pop() ?? new Uint8Array(SOURCE_READ_BYTES);
        const piece = buffer.subarray(0, Math.min(SOURCE_READ_BYTES, sizeBytes - offset));
        const read = readPiece(handle, offset, piece);
        // It is awaited below; until then a failure must not count as unhandled.
        read.catch(() => {});
        reads.push(read);
        offset += piece.length;
      }
      const piece = await reads.shift();
      signal.throwIfAborted();
      if (piece === undefined) continue;
      yield piece;
      spare.push(new Uint8Array(piece.buffer));
    }
  } finally {
    await Promise.allSettled(reads);
  }
}

async function readPiece(handle: FileHandle, offset: number, piece: Uint8Array): Promise<Uint8Array> {
  if ((await readFully(handle, piece, offset)) < piece.length) throw changed();
  return piece;
}

function gone(): SharingError {
  return new SharingError("file_missing", "there is no such file");
}

function changed(): SharingError {
  return new SharingError("file_missing", "the file was changed while it was read");
}
