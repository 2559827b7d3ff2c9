/**
 * Many authors' entries for one file become one offer. The file id is the only thing that can't be lied about, so
 * name and size are what most holders say; the first heard of wins a tie. Who got it by its id knows no name, and says the id.
 * Of authors that were not met one peer can make up a majority: they are asked only where nobody else knows. Called by catalogues.
 */
import type { Announcement, Offer } from "../../sharing/ports.ts";

type Entry = [authorId: string, file: Announcement];

export function mergeOffer(
  entries: Entry[],
  isMet: (authorId: string) => boolean = () => true,
): Offer | undefined {
  const size = mostSaid(surest(entries, isMet), (file) => `${file.sizeBytes} ${file.chunkCount}`);
  const named = entries.filter(([, file]) => file.name !== file.fileId);
  const name = mostSaid(surest(named.length > 0 ? named : entries, isMet), (file) => file.name);
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

function surest(entries: Entry[], isMet: (authorId: string) => boolean): Entry[] {
  const met = entries.filter(([authorId]) => isMet(authorId));
  return met.length > 0 ? met : entries;
}

function mostSaid(entries: Entry[], what: (file: Announcement) => string): Announcement | undefined {
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
