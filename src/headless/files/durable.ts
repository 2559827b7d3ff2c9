/**
 * Writing files so that they survive power loss: data first, then the name, then the folder that holds the
 * name. Called by the file-system ports, the API keys and the data folder; calls node:fs.
 */
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

/** Makes renames and links into the folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Writes all bytes at the offset; the system call alone may write fewer. */
export async function writeFully(handle: FileHandle, bytes: Uint8Array, offset: number): Promise<void> {
  let written = 0;
  while (written < bytes.byteLength) {
    const { bytesWritten } = await handle.write(bytes, written, bytes.byteLength - written, offset + written);
    written += bytesWritten;
  }
}

/** Makes a file of all that comes, and makes that durable. If this throws, what had come stays. @throws EEXIST */
export async function writeNewFile(
  path: string,
  bytes: AsyncIterable<Uint8Array>,
  { mode }: { mode: number },
): Promise<void> {
  const handle = await open(path, "wx", mode);
  try {
    let offset = 0;
    for await (const piece of bytes) {
      await writeFully(handle, piece, offset);
      offset += piece.byteLength;
    }
    await handle.datasync();
  } finally {
    await handle.close();
  }
}

/** Fills the buffer from the offset as far as the file goes, and tells how far that was. */
export async function readFully(handle: FileHandle, buffer: Uint8Array, offset: number): Promise<number> {
  let filled = 0;
  while (filled < buffer.byteLength) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.byteLength - filled, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled;
}

interface Replacing {
  /** Lies in the same file system. */
  temporaryPath?: string;
  mode?: number;
  /** What is to be done before the file is seen, all of which is on the disk by then. If it throws, the file is not. */
  before?: () => Promise<void>;
}

/** Puts a file in place whole: a crash leaves the old one or the new one. */
export async function replaceFile(
  path: string,
  bytes: Uint8Array,
  { temporaryPath = `${path}.new`, mode = 0o600, before }: Replacing = {},
): Promise<void> {
  try {
    const handle = await open(temporaryPath, "w", mode);
    try {
      await writeFully(handle, bytes, 0);
      await handle.datasync();
    } finally {
      await handle.close();
    }
    await before?.();
    await rename(temporaryPath, path);
  } catch (error) {
    await rm(temporaryPath, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}
