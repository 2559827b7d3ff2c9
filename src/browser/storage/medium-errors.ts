/**
 * Errors of the browser's media, told by name. Used by the storages of indexes, files and records, and by what else
 * meets them.
 */

/** What a person can do about a full medium stands in it, since it is shown as it is. */
export const NO_MORE_ROOM =
  "The browser gives this site no more room. Delete files here, or free some room on this device.";

export function hasName(error: unknown, ...names: string[]): boolean {
  return error instanceof Error && names.includes(error.name);
}
