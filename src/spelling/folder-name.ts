/**
 * What the list of a folder's files is called, as a file. Called by the node, which makes it, and by whatever shows the name
 * of a file.
 */

export const FOLDER_LIST_ENDING = ".folder.json";

/** The folder's name, if a file is called as the list of one. */
export function folderNameOf(fileName: string): string | undefined {
  const name = fileName.slice(0, -FOLDER_LIST_ENDING.length);
  return fileName.endsWith(FOLDER_LIST_ENDING) && name !== "" ? name : undefined;
}

/** What a person calls a file, or the folder that it is the list of. */
export function shownName(fileName: string): string {
  return folderNameOf(fileName) ?? fileName;
}

/** What that list is called. */
export function folderListName(folderName: string): string {
  return folderName + FOLDER_LIST_ENDING;
}
