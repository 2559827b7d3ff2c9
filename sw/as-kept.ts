/** A host's answer as a cache takes it. Called by page-files and model-files. Source: Service Workers, 5.4.5 (`put`). */

/**
 * What came by a redirect can't be given to whoever navigates, and what differs for each who asks (`Vary: *`) is
 * refused: a file of the app is the same for all.
 */
export function asKept(response: Response): Response {
  const isVaried = response.headers.get("vary")?.includes("*") === true;
  if (!response.redirected && !isVaried) return response;
  const kept = new Response(response.body, response);
  if (isVaried) kept.headers.delete("vary");
  return kept;
}
