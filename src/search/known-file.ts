/** A file as search knows it: held here, offered by others, or both. Made by the directory; pure. */
import type { LocalFile } from "../sharing/catalog/catalog-entry.ts";
import type { Offer } from "../sharing/ports.ts";
import { tidy } from "../sharing/tidy.ts";

export interface KnownFile {
  fileId: string;
  /** The name here where the file is here. */
  name: string;
  sizeBytes: number;
  /** Held here, whole or in part. */
  isLocal: boolean;
  /** All of it is here: its bytes can be read. */
  isComplete: boolean;
  /** Other peers that hold it or some of it; where there are any, it is offered. */
  holders: readonly string[];
  /** What its holders say that it is about; empty where they say nothing. */
  offeredExcerpt: string;
  createdAt: Date | undefined;
  /** It is here, and this node tells nobody of it. */
  isUnlisted: boolean;
}

/** Where a search looks: files held here, files that others offer, or all of them. */
export type Scope = "local" | "network" | "all";

export function isIn(scope: Scope, file: KnownFile): boolean {
  if (scope === "all") return true;
  return scope === "local" ? file.isLocal : file.holders.length > 0;
}

export function localFile(
  { id, name, sizeBytes, createdAt, complete, isUnlisted }: LocalFile,
  known?: KnownFile,
): KnownFile {
  return {
    fileId: id,
    name,
    sizeBytes,
    isLocal: true,
    isComplete: complete,
    holders: known?.holders ?? [],
    offeredExcerpt: known?.offeredExcerpt ?? "",
    createdAt,
    isUnlisted,
  };
}

/** The file as its offer and what is known of it here say. */
export function offeredFile(offer: Offer, known?: KnownFile): KnownFile {
  const offered = {
    holders: [...offer.completeHolders, ...offer.partialHolders],
    offeredExcerpt: tidy(offer.excerpt ?? "", Number.MAX_SAFE_INTEGER),
  };
  if (known?.isLocal) return { ...known, ...offered };
  const { fileId, name, sizeBytes } = offer;
  const elsewhere = { isLocal: false, isComplete: false, createdAt: undefined, isUnlisted: false };
  return { fileId, name, sizeBytes, ...elsewhere, ...offered };
}

export function isSameFile(a: KnownFile, b: KnownFile): boolean {
  return (
    a.name === b.name &&
    a.sizeBytes === b.sizeBytes &&
    a.isLocal === b.isLocal &&
    a.isComplete === b.isComplete &&
    a.holders.length === b.holders.length &&
    a.holders.every((holder, i) => holder === b.holders[i]) &&
    a.offeredExcerpt === b.offeredExcerpt &&
    a.createdAt?.getTime() === b.createdAt?.getTime() &&
    a.isUnlisted === b.isUnlisted
  );
}
