/** The room that a disk has. Asked for outputs, and by the block store; calls node:fs. */
import { statfs } from "node:fs/promises";

/**
 * Bytes that this user may still write on the disk of a folder; without end where it can't tell, as some that are elsewhere in
 * the network: what finds no room is refused when it is written.
 */
export async function freeBytesAt(folder: string): Promise<number> {
  try {
    const { blocks, bavail, bsize } = await statfs(folder);
    return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
