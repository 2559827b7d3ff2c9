/** What no path of a file outside the store has, whatever medium it leads into. Called by the files of both builds. */
import { SharingError } from "./errors.ts";
import { MAX_PATH_CHARS } from "./limits.ts";

/** @throws SharingError `bad_request` for a path that is empty or too long, or has control characters */
export function checkPathChars(path: string): void {
  if (path === "" || path.length > MAX_PATH_CHARS) {
    throw new SharingError("bad_request", `a path has 1 to ${MAX_PATH_CHARS} characters`);
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (/[\0-\x1f\x7f]/.test(path)) throw new SharingError("bad_request", "the path has control characters");
}
