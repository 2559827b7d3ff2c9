/**
 * Many authors' entries for one file become one offer. The file id is the only thing that can't be lied about, so
 * name and size are what most holders say; the first heard of wins a tie. Who got it by its id knows no name, and says the id.
 * Called by catalogues.
 */
import type { Announcement, Offer } from "../../sharing/ports.ts";

export function mergeOffer(entries: [authorId: string, file: Announcement][]): Offer | undefined {
  const size = mostSaid(entries, (file) => `${file.sizeBytes} ${file.chunkCount}`);
  const named = entries.filter(([, file]) => file.name !== file.fileId);
  const name = mostSaid(named.length > 0 ? named : entries, (file) => file.name);
  if (size === undefined || name === undefined) return undefined;
  const holders = (complete: boolean) =>
    entries.filter(([, file]) => file.complete === complete).map(([authorId]) => authorId);
  return {
    fileId: size.fileId,
    name: name.name,
    sizeBytes: size.sizeBytes,
    chunkCount: size.chunkCount,
    completeHolders: holders(true),
    partialHolders: holders(false),
  };
}

function mostSaid(
  entries: [string, Announcement][],
  what: (file: Announcement) => string,
): Announcement | undefined {
  const votes = new Map<string, { count: number; file: Announcement }>();
  for (const [, file] of entries) {
    const vote = votes.get(what(file)) ?? { count: 0, file };
    vote.count += 1;
    votes.set(what(file), vote);
  }
  let best: { count: number; file: Announcement } | undefined;
  for (const vote of votes.values()) if (best === undefined || vote.count > best.count) best = vote;
  return best?.file;
}
