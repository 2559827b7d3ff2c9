/**
 * What this node shares, and what of it the swarm has not been told yet. Pure state; the announcer takes batches
 * of messages from it, catalogue-protocol serves snapshots of it. Changes of one file between two batches become
 * one; a change taken back before it was told is never told.
 */
import { CID } from "multiformats/cid";
import { safeFileName } from "../../sharing/file-name.ts";
import type { Announcement } from "../../sharing/ports.ts";
import type { Position } from "./announcement.ts";
import { MAX_ENTRIES_PER_MESSAGE, MAX_FILES_PER_AUTHOR, MAX_MESSAGES_PER_BATCH } from "./limits.ts";

/** A change message without its position in time, which the announcer gives it when it is sent. */
export type Change = Pick<Position, "revision"> &
  ({ kind: "add"; files: Announcement[] } | { kind: "remove"; fileIds: string[] });

export class OwnCatalogue {
  readonly #files = new Map<string, Announcement>();
  /** File ids that changed since the last batch. */
  readonly #changed = new Set<string>();
  /** File ids that the swarm believes are here. */
  readonly #told = new Set<string>();
  #revision = 0;

  get revision(): number {
    return this.#revision;
  }

  has(fileId: string): boolean {
    return this.#files.has(fileId);
  }

  /** True when this is news. */
  announce(file: Announcement): boolean {
    const fileId = CID.parse(file.fileId).toString();
    const next = { ...file, fileId, name: safeFileName(file.name) };
    const known = this.#files.get(fileId);
    if (known !== undefined && sameAnnouncement(known, next)) return false;
    this.#files.set(fileId, next);
    this.#changed.add(fileId);
    return true;
  }

  withdraw(fileId: string): boolean {
    if (!this.#files.delete(fileId)) return false;
    this.#changed.add(fileId);
    return true;
  }

  /** For a peer that asks; no more than receivers take. What it holds has been told, so a later removal is told too. */
  snapshot(): Announcement[] {
    for (const fileId of this.#changed) if (this.#files.has(fileId)) this.#told.add(fileId);
    return [...this.#files.values()].slice(0, MAX_FILES_PER_AUTHOR);
  }

  /**
   * The changes as messages, each with its revision. None although there were changes means that there were too
   * many for messages: the revision grew by one, and who hears of it asks for the catalogue.
   */
  takeChanges(): Change[] {
    const added: Announcement[] = [];
    const removed: string[] = [];
    for (const fileId of this.#changed) {
      const file = this.#files.get(fileId);
      if (file !== undefined) added.push(file);
      else if (this.#told.has(fileId)) removed.push(fileId);
      if (file === undefined) this.#told.delete(fileId);
      else this.#told.add(fileId);
    }
    this.#changed.clear();
    const removals = inGroups(removed).map((fileIds) => ({ kind: "remove" as const, fileIds }));
    const additions = inGroups(added).map((files) => ({ kind: "add" as const, files }));
    const bodies = [...removals, ...additions];
    if (bodies.length > MAX_MESSAGES_PER_BATCH) {
      this.#revision += 1;
      return [];
    }
    return bodies.map((body) => {
      this.#revision += 1;
      return { ...body, revision: this.#revision };
    });
  }
}

function sameAnnouncement(a: Announcement, b: Announcement): boolean {
  return (
    a.name === b.name &&
    a.sizeBytes === b.sizeBytes &&
    a.chunkCount === b.chunkCount &&
    a.complete === b.complete
  );
}

function inGroups<T>(items: T[]): T[][] {
  const groups: T[][] = [];
  for (let at = 0; at < items.length; at += MAX_ENTRIES_PER_MESSAGE) {
    groups.push(items.slice(at, at + MAX_ENTRIES_PER_MESSAGE));
  }
  return groups;
}
