/**
 * What is said of a file's size: that of a folder's list is not that of the folder. Called by rows, lists of similar
 * files, the map and the screen of a link.
 */
import { fileKind } from "./file-kind.ts";
import { bytesText } from "./quantities.ts";

export function fileSizeText(name: string, sizeBytes: number): string {
  return fileKind(name) === "folder" ? "Folder" : bytesText(sizeBytes);
}
