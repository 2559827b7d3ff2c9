/**
 * A name that is not valid UTF-8: it reaches us with U+FFFD in place of what can't be decoded, and leads nowhere. Called where a
 * file that somebody named is missing; calls node:fs.
 */
import { readdir } from "node:fs/promises";
import { hasCode } from "./disk-errors.ts";

const REPLACEMENT = "\ufffd";

/** Such a file or folder that reads as `name`, with the bytes escaped that are no ASCII; undefined where there is none. */
export async function undecodableName(folder: string, name: string): Promise<string | undefined> {
  if (!name.includes(REPLACEMENT)) return undefined;
  try {
    const names = await readdir(folder, { encoding: "buffer" });
    const found = names.find((bytes) => bytes.toString() === name && !bytes.equals(Buffer.from(name)));
    return found && escaped(found);
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR", "EACCES")) return undefined;
    throw error;
  }
}

function escaped(bytes: Buffer): string {
  return [...bytes]
    .map((byte) => {
      const isPlain = byte > 0x1f && byte < 0x7f && byte !== 0x5c;
      return isPlain ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, "0")}`;
    })
    .join("");
}
