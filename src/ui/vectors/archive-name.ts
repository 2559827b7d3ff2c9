/** What an archive from a person's disk is called on the node. Called by backups. */

/** A name that the node takes for an archive: letters, digits, - and _, with .zip at the end. */
export function archiveNameOf(fileName: string): string {
  const stem = fileName
    .replace(/\.zip$/i, "")
    .replace(/[^\w.-]+/g, "-")
    .replace(/^[.-]+/, "");
  return `${stem === "" ? "archive" : stem.slice(0, 100)}.zip`;
}
