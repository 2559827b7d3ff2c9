/**
 * Many authors' entries for one file become one offer. The file id is the only thing that can't be lied about, so
 * name and size are what most holders say. Who got it by its id knows no name, and says the id. Holders that were met come first:
 * where a few are shown, those are it. Called by catalogues.
 */
import type { Announcement, Offer } from "../../sharing/ports.ts";
import { mostSaid } from "../most-said.ts";

export function mergeOffer(
  entries: [authorId: string, file: Announcement][],
  isMet: (authorId: string) => boolean,
): Offer | undefined {
  const size = mostSaid(entries, isMet, (file) => `${file.sizeBytes} ${file.chunkCount}`);
  const named = entries.filter(([, file]) => file.name !== file.fileId);
  const name = mostSaid(named.length > 0 ? named : entries, isMet, (file) => file.name);
  if (size === undefined || name === undefined) return undefined;
  const surestFirst = [...entries].sort(([a], [b]) => Number(isMet(b)) - Number(isMet(a)));
  const holders = (complete: boolean) =>
    surestFirst.filter(([, file]) => file.complete === complete).map(([authorId]) => authorId);
  return {
    fileId: size.fileId,
    name: name.name,
    sizeBytes: size.sizeBytes,
    chunkCount: size.chunkCount,
    completeHolders: holders(true),
    partialHolders: holders(false),
  };
}
