/**
 * What a host answers in a file's place, told apart before it is kept: what is kept is asked for never again. Called by
 * page-files and model-files.
 */

/** Why an answer can't be the file at that path, to be said of it; undefined where it can. Its body can be read still. */
export async function flawOf(response: Response, path: string): Promise<string | undefined> {
  if (!response.ok) return String(response.status);
  // Hosts that have the page at every address give it for files that they lack, too.
  const isPage = response.headers.get("content-type")?.startsWith("text/html") === true;
  if (isPage && !path.endsWith(".html")) return "a page";
  // As a host reads a file that is being written anew.
  const { size } = await response.clone().blob();
  return size === 0 ? "empty" : undefined;
}
