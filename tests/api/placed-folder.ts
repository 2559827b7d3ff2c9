/**
 * A folder of the paths that a test host knows, listed as Files does. Called by the fake node and the real one without
 * a disk.
 */
import { SharingError } from "../../src/sharing/errors.ts";
import type { FolderListing } from "../../src/sharing/ports.ts";

export function placedFolder(places: ReadonlyMap<string, Uint8Array>, path: string): FolderListing {
  const files = [...places.keys()]
    .filter((source) => source.startsWith(`${path}/`))
    .map((source) => ({ path: source.slice(path.length + 1), source }));
  if (files.length === 0) throw new SharingError("path_forbidden", "The path is in no share root");
  return { name: path.split("/").at(-1) ?? path, files };
}
