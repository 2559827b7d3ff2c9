/** Archives on their way between the node and this person's disk. Called by backups. */

/** A name that the node takes for an archive: letters, digits, - and _, with .zip at the end. */
export function archiveNameOf(fileName: string): string {
  const stem = fileName
    .replace(/\.zip$/i, "")
    .replace(/[^\w.-]+/g, "-")
    .replace(/^[.-]+/, "");
  return `${stem === "" ? "archive" : stem.slice(0, 100)}.zip`;
}

/** Puts the body among the person's downloads. The browser keeps large bodies on disk meanwhile. */
export async function saveResponse(response: Response, name: string): Promise<void> {
  const url = URL.createObjectURL(await response.blob());
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
