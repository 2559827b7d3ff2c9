/** A folder is found by what its files are called. Called by read-text. */
import { decodeFolder } from "../../sharing/folders/folder.ts";
import { listedNames } from "./listed-names.ts";

/** @throws SharingError `bad_request` for bytes that are no list of files */
export function folderText(bytes: Uint8Array): string {
  return listedNames(
    decodeFolder(bytes).map(({ path }) => path),
    ", ",
  );
}
