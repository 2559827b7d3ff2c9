/** Folders of the origin private file system. Called by all that reads or writes there. */

/** `create`: those that are missing are made. Throws what the file system throws. */
export async function folderAt(
  root: FileSystemDirectoryHandle,
  names: readonly string[],
  options?: { create: boolean },
): Promise<FileSystemDirectoryHandle> {
  let folder = root;
  for (const name of names) folder = await folder.getDirectoryHandle(name, options);
  return folder;
}
