/**
 * Messages of authors whose catalogues are on their way, until those are here: so much of each author, and of all,
 * since one peer can bring word of hundreds that are nowhere, each of which has its time to be dialled. Kept by
 * catalogue-sync.
 */
import type { AnnounceMessage } from "./announcement.ts";
import { MAX_HELD_ENTRIES, MAX_HELD_MESSAGES } from "./limits.ts";

interface HeldMessage {
  message: AnnounceMessage;
  /** Who passed it on, or the author itself. */
  tellerId: string;
}

export class HeldMessages {
  readonly #byAuthor = new Map<string, HeldMessage[]>();
  /** In all of them. */
  #entryCount = 0;

  /** False where there is no room for it. */
  add(authorId: string, held: HeldMessage): boolean {
    const all = this.#byAuthor.get(authorId) ?? [];
    const entryCount = this.#entryCount + entriesIn(held.message);
    if (all.length >= MAX_HELD_MESSAGES || entryCount > MAX_HELD_ENTRIES) return false;
    all.push(held);
    this.#byAuthor.set(authorId, all);
    this.#entryCount = entryCount;
    return true;
  }

  /** Those of the author, in the order in which it said them, which are kept no longer. */
  take(authorId: string): HeldMessage[] {
    const all = this.#byAuthor.get(authorId) ?? [];
    this.#byAuthor.delete(authorId);
    for (const { message } of all) this.#entryCount -= entriesIn(message);
    return all.sort((a, b) => a.message.seq - b.message.seq);
  }
}

function entriesIn(message: AnnounceMessage): number {
  switch (message.kind) {
    case "add":
      return message.files.length;
    case "remove":
      return message.fileIds.length;
    case "alive":
    case "hello":
      return message.addresses.length;
    case "bye":
      return 0;
  }
}
