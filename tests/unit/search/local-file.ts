import type { KnownFile } from "../../../src/search/known-file.ts";

/** A small text that is here whole, and that nobody else offers, unless said otherwise. */
export function localFile(fileId: string, more: Partial<KnownFile> = {}): KnownFile {
  return {
    fileId,
    name: `${fileId}.txt`,
    sizeBytes: 1,
    isComplete: true,
    isLocal: true,
    holders: [],
    offeredExcerpt: "",
    createdAt: undefined,
    isUnlisted: false,
    ...more,
  };
}
