/**
 * A name that is not valid UTF-8: it reaches us with U+FFFD in place of what can't be decoded, and leads nowhere. Called where a
 * file that somebody named is missing, and for all in a folder that is shared; calls node:fs.
 */
import { readdir } from "node:fs/promises";
import { SharingError } from "../../sharing/errors.ts";
import { unlessCode } from "./disk-errors.ts";

const REPLACEMENT = "\ufffd";

/** @throws SharingError `bad_request`, with the name, where it is such a one in that folder */
export async function refuseUndecodable(folder: string, name: string): Promise<void> {
  const undecodable = await undecodableName(folder, name);
  if (undecodable === undefined) return;
  const message = `the name ${undecodable} is not valid UTF-8: what is to be shared needs another`;
  throw new SharingError("bad_request", message);
}

/** Such a file or folder that reads as `name`, with the bytes escaped that are no ASCII; undefined where there is none. */
export async function undecodableName(folder: string, name: string): Promise<string | undefined> {
  if (!name.includes(REPLACEMENT)) return undefined;
  const names = await unlessCode(readdir(folder, { encoding: "buffer" }), "ENOENT", "ENOTDIR", "EACCES");
  const found = names?.find((bytes) => bytes.toString() === name && !bytes.equals(Buffer.from(name)));
  return found && escaped(found);
}

function escaped(bytes: Buffer): string {
  return [...bytes]
    .map((byte) => {
      const isPlain = byte > 0x1f && byte < 0x7f && byte !== 0x5c;
      return isPlain ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, "0")}`;
    })
    .join("");
}
