/**
 * What every other author shares, as far as this node knows: positions, files, when last heard. Pure state,
 * told of messages by hearing, of whole catalogues by catalogue-sync. It decides what is news, what is a repeat
 * and what leaves a gap; it sends nothing.
 */
import type { Announcement, Clock, Offer } from "../../sharing/ports.ts";
import { Counts } from "../counts.ts";
import { MAX_AUTHORS } from "../limits.ts";
import type { AnnounceMessage, Position } from "./announcement.ts";
import { Hearsay } from "./hearsay.ts";
import {
  AUTHOR_EXPIRY_MS,
  LONGEST_HEARING_PAUSE_MS,
  MAX_ENTRIES_PER_PAGE,
  MAX_FILES_IN_ALL,
  MAX_FILES_PER_AUTHOR,
} from "./limits.ts";
import { LivedTime } from "./lived-time.ts";
import { mergeOffer } from "./offers.ts";

/** What a message meant: nothing new, applied, or the author's catalogue is needed. */
export type Heard = "repeat" | "applied" | "behind";

/** `left` said goodbye and stays away for this epoch; `lost` was silent or unreachable and may be found again. */
type Presence = "here" | "left" | "lost";

/** `told of`: others pass word of it on, and it was not met. */
export type Standing = "met" | "told of" | "gone";

interface Author extends Position {
  files: Map<string, Announcement>;
  /** As this process lived it. */
  lastHeardMs: number;
  /** Kept after it left, so that old messages can't bring it back. */
  presence: Presence;
  addresses: Uint8Array[];
}

export class Catalogues {
  readonly #lived: LivedTime;
  readonly #onChange: () => void;
  readonly #authors = new Map<string, Author>();
  readonly #hearsay = new Hearsay();
  /** Who holds what: file id to author. */
  readonly #holders = new Map<string, Set<string>>();
  /** By author. */
  readonly #fileCounts = new Counts();
  #fileCount = 0;

  constructor(clock: Clock, onChange: () => void) {
    this.#lived = new LivedTime(clock, LONGEST_HEARING_PAUSE_MS);
    this.#onChange = onChange;
  }

  /** `tellerId`: who passed the message on, or the author itself. */
  hear(authorId: string, message: AnnounceMessage, tellerId: string): Heard {
    const author = this.#authors.get(authorId);
    if (author === undefined || message.epoch > author.epoch)
      return this.#hearNewEpoch(authorId, message, tellerId);
    if (message.epoch < author.epoch) return this.#hearOlderEpoch(author, message);
    if (author.presence === "left") return "repeat";
    if (author.presence === "lost")
      return message.seq > author.seq && message.kind !== "bye" ? "behind" : "repeat";
    if (message.seq > author.seq) {
      author.seq = message.seq;
      author.lastHeardMs = this.#lived.look();
      if (tellerId === authorId) this.#meet(authorId, author);
      if (message.kind === "alive" || message.kind === "hello") author.addresses = message.addresses;
    }
    return this.#apply(authorId, author, message);
  }

  /** An old message, or one of an author that is back with its clock set back: which, it can be asked itself, once it is away. */
  #hearOlderEpoch({ presence }: Author, { kind }: AnnounceMessage): Heard {
    return presence === "here" || kind === "bye" ? "repeat" : "behind";
  }

  #hearNewEpoch(authorId: string, message: AnnounceMessage, tellerId: string): Heard {
    if (message.kind === "bye") {
      const known = this.#authors.get(authorId);
      if (known !== undefined) this.forget(authorId, "left");
      return known === undefined ? "repeat" : "applied";
    }
    const isFirstWord = message.revision === 0;
    if (!isFirstWord) return "behind";
    const hadFiles = this.fileCount(authorId) > 0;
    const author = this.#begin(authorId, message, tellerId);
    if (author === undefined) return "repeat";
    if ("addresses" in message) author.addresses = message.addresses;
    if (hadFiles) this.#onChange();
    return "applied";
  }

  #apply(authorId: string, author: Author, message: AnnounceMessage): Heard {
    switch (message.kind) {
      case "bye":
        this.forget(authorId, "left");
        return "applied";
      case "alive":
      case "hello":
        return message.revision > author.revision ? "behind" : "repeat";
      case "add":
      case "remove":
        if (message.revision <= author.revision) return "repeat";
        if (message.revision > author.revision + 1) return "behind";
        author.revision = message.revision;
        if (message.kind === "add") for (const file of message.files) this.#add(authorId, author, file);
        else for (const fileId of message.fileIds) this.#remove(authorId, author, fileId);
        this.#onChange();
        return "applied";
    }
  }

  /** It speaks itself: what it says of its files comes before what is only told of. */
  #meet(authorId: string, { files }: Author): void {
    if (!this.#hearsay.has(authorId)) return;
    this.#hearsay.end(authorId);
    if (files.size > 0) this.#onChange();
  }

  /** Takes the catalogue an author gave itself; an older one than known is left aside. */
  replace(authorId: string, at: Position, files: Announcement[], addresses: Uint8Array[]): void {
    const known = this.#authors.get(authorId);
    if (known !== undefined && isOutdated(known, at)) return;
    const author = this.#begin(authorId, at, authorId);
    if (author === undefined) return;
    author.addresses = addresses;
    for (const file of files) this.#add(authorId, author, file);
    this.#onChange();
  }

  /** Its files go, and what it said until now can't bring them back. */
  forget(authorId: string, as: "left" | "lost"): void {
    const author = this.#authors.get(authorId);
    if (author === undefined) return;
    const hadFiles = author.files.size > 0;
    this.#dropFiles(authorId, author);
    this.#hearsay.end(authorId);
    author.presence = as;
    if (hadFiles) this.#onChange();
  }

  /** Drops who has been silent past the expiry. Called every few seconds: what is longer is no silence of theirs. */
  expire(): void {
    const deadline = this.#lived.look() - AUTHOR_EXPIRY_MS;
    for (const [authorId, author] of this.#authors) {
      if (author.presence === "here" && author.lastHeardMs < deadline) this.forget(authorId, "lost");
    }
  }

  get authorCount(): number {
    return this.#authors.size;
  }

  knows(authorId: string): boolean {
    return this.#authors.get(authorId)?.presence === "here";
  }

  standing(authorId: string): Standing {
    if (!this.knows(authorId)) return "gone";
    return this.#hearsay.has(authorId) ? "told of" : "met";
  }

  /** It is here, and has told where. */
  canBeMet(authorId: string): boolean {
    return this.knows(authorId) && this.addresses(authorId).length > 0;
  }

  /** Whether the author was heard to say this, or something later. */
  isOld(authorId: string, { epoch, seq }: Position): boolean {
    const known = this.#authors.get(authorId);
    if (known === undefined) return false;
    return epoch < known.epoch || (epoch === known.epoch && seq <= known.seq);
  }

  position(authorId: string): Position | undefined {
    return this.#authors.get(authorId);
  }

  addresses(authorId: string): Uint8Array[] {
    return this.#authors.get(authorId)?.addresses ?? [];
  }

  fileCount(authorId: string): number {
    return this.#authors.get(authorId)?.files.size ?? 0;
  }

  offers(): Offer[] {
    return [...this.#holders.keys()].flatMap((fileId) => this.offer(fileId) ?? []);
  }

  offer(fileId: string): Offer | undefined {
    const entries: [string, Announcement][] = [];
    for (const authorId of this.#holders.get(fileId) ?? []) {
      const file = this.#authors.get(authorId)?.files.get(fileId);
      if (file !== undefined) entries.push([authorId, file]);
    }
    return mergeOffer(entries, (authorId) => this.standing(authorId) === "met");
  }

  /** A fresh entry at the position given, or undefined when there is no room. */
  #begin(authorId: string, at: Position, tellerId: string): Author | undefined {
    const previous = this.#authors.get(authorId);
    const isMet = tellerId === authorId;
    if (previous === undefined && this.#authors.size >= MAX_AUTHORS && !this.#makeRoom(isMet))
      return undefined;
    if (!isMet && previous?.presence !== "here" && !this.#hearsay.begin(authorId, tellerId)) return undefined;
    if (previous !== undefined) this.#dropFiles(authorId, previous);
    if (isMet) this.#hearsay.end(authorId);
    const sameEpoch = previous?.epoch === at.epoch;
    const author: Author = {
      epoch: at.epoch,
      seq: sameEpoch ? Math.max(at.seq, previous.seq) : at.seq,
      revision: at.revision,
      files: new Map(),
      lastHeardMs: this.#lived.look(),
      presence: "here",
      addresses: [],
    };
    this.#authors.set(authorId, author);
    return author;
  }

  /** Forgets one that left; of those that are here only hearsay is pushed out, by who is met. */
  #makeRoom(isMet: boolean): boolean {
    for (const [authorId, author] of this.#authors) {
      if (author.presence !== "here") return this.#authors.delete(authorId);
    }
    const leastSure = isMet ? this.#hearsay.leastSure : undefined;
    if (leastSure === undefined) return false;
    this.forget(leastSure, "lost");
    return this.#authors.delete(leastSure);
  }

  #add(authorId: string, author: Author, file: Announcement): void {
    if (!author.files.has(file.fileId)) {
      if (author.files.size >= MAX_FILES_PER_AUTHOR) return;
      if (this.#fileCount >= MAX_FILES_IN_ALL && !this.#makeRoomForFiles(authorId, author)) return;
      if (!this.#hearsay.addFile(authorId)) return;
      this.#fileCount += 1;
      this.#fileCounts.change(authorId, 1);
      const holders = this.#holders.get(file.fileId) ?? new Set();
      this.#holders.set(file.fileId, holders.add(authorId));
    }
    author.files.set(file.fileId, file);
  }

  /** Hearsay gives way to who was met, and of these who has the most, a few at a time, until all have as many. */
  #makeRoomForFiles(authorId: string, author: Author): boolean {
    if (this.#hearsay.has(authorId)) return false;
    const hearsay = this.#hearsay.withMostFiles;
    if (hearsay !== undefined) {
      this.forget(hearsay, "lost");
      return true;
    }
    const mostId = this.#fileCounts.most ?? authorId;
    const most = this.#authors.get(mostId) ?? author;
    const surplus = Math.ceil((most.files.size - author.files.size) / 2);
    if (surplus <= 0) return false;
    for (const fileId of [...most.files.keys()].slice(0, Math.min(surplus, MAX_ENTRIES_PER_PAGE))) {
      this.#remove(mostId, most, fileId);
    }
    return true;
  }

  #remove(authorId: string, author: Author, fileId: string): void {
    if (!author.files.delete(fileId)) return;
    this.#hearsay.removeFile(authorId);
    this.#fileCount -= 1;
    this.#fileCounts.change(authorId, -1);
    const holders = this.#holders.get(fileId);
    holders?.delete(authorId);
    if (holders?.size === 0) this.#holders.delete(fileId);
  }

  #dropFiles(authorId: string, author: Author): void {
    for (const fileId of [...author.files.keys()]) this.#remove(authorId, author, fileId);
  }
}

/** Another epoch is believed even when lower, since the author itself was asked just now: its clock was set back. */
function isOutdated(known: Author, at: Position): boolean {
  if (at.epoch !== known.epoch) return false;
  return known.presence === "left" || at.revision < known.revision;
}
