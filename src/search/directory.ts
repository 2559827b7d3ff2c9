/**
 * Every file that can be found, kept in step with the node: its own files at once, what others offer after a moment. Holds
 * the words of names and texts too. Made by file-search; asked by it and by the indexer, which hears of changes from here.
 */
import type { NodeEventName } from "../sharing/events.ts";
import type { Clock, Swarm } from "../sharing/ports.ts";
import type { SharingNode } from "../sharing/sharing-node.ts";
import { isSameFile, type KnownFile, localFile, offeredFile } from "./known-file.ts";
import { OFFERS_REST_FACTOR, OFFERS_SETTLE_MS } from "./limits.ts";
import { NameIndex } from "./names/name-index.ts";
import { TextWords, type WordHashes } from "./text-words.ts";

export interface DirectoryPorts {
  node: Pick<SharingNode, "events" | "files" | "offers">;
  swarm: Pick<Swarm, "subscribe">;
  clock: Clock;
}

/** Events after which the files here may be others. */
const LOCAL_EVENTS: ReadonlySet<NodeEventName> = new Set([
  "file_shared",
  "file_deleted",
  "transfer_started",
  "transfer_progress",
  "transfer_complete",
  "transfer_failed",
  "transfer_cancelled",
]);

export class Directory {
  readonly names = new NameIndex();
  readonly texts = new TextWords();
  readonly #ports: DirectoryPorts;
  readonly #files = new Map<string, KnownFile>();
  /** What is known of the content of files, by id: the beginning of their text. */
  readonly #excerpts = new Map<string, string>();
  readonly #onChange: () => void;
  readonly #ends: (() => void)[];
  #isLocalStale = true;
  #areOffersStale = true;
  #nextOffersMs = Number.NEGATIVE_INFINITY;
  #version = 0;

  /** `onChange`: something may have changed, which the next look will show. */
  constructor(ports: DirectoryPorts, onChange: () => void) {
    this.#ports = ports;
    this.#onChange = onChange;
    this.#ends = [
      ports.node.events.subscribe(({ event }) => {
        if (!LOCAL_EVENTS.has(event)) return;
        this.#isLocalStale = true;
        // Bytes that came change no name; the end of the transfer tells the rest.
        if (event !== "transfer_progress") this.#onChange();
      }),
      ports.swarm.subscribe(({ type }) => {
        if (type !== "offers_changed") return;
        this.#areOffersStale = true;
        this.#onChange();
      }),
    ];
  }

  get(fileId: string): KnownFile | undefined {
    return this.#files.get(fileId);
  }

  /** Local files first. */
  all(): KnownFile[] {
    const files = [...this.#files.values()];
    return [...files.filter(({ isLocal }) => isLocal), ...files.filter(({ isLocal }) => !isLocal)];
  }

  /** Grows with every file that came, changed or went. */
  get version(): number {
    return this.#version;
  }

  get fileCount(): number {
    return this.#files.size;
  }

  /** The beginning of its text, as read here or told by its holders. */
  excerpt(fileId: string): string {
    return this.#excerpts.get(fileId) ?? this.#files.get(fileId)?.offeredExcerpt ?? "";
  }

  /** Was it set? */
  hasContent(fileId: string): boolean {
    return this.#excerpts.has(fileId);
  }

  /** What was read of a file here; kept as long as the file is known. */
  setContent(fileId: string, { excerpt, words }: { excerpt: string; words: WordHashes }): void {
    const file = this.#files.get(fileId);
    if (file === undefined) return;
    this.#excerpts.set(fileId, excerpt);
    this.texts.set(fileId, words);
    this.names.set(fileId, file.name, this.excerpt(fileId));
  }

  /** Takes in what has changed; of offers at most once a moment, for there may be a hundred thousand. */
  refresh(): void {
    if (this.#isLocalStale) this.#refreshLocal();
    const nowMs = this.#ports.clock.monotonic();
    if (this.#areOffersStale && nowMs >= this.#nextOffersMs) {
      this.#refreshOffers();
      const tookMs = this.#ports.clock.monotonic() - nowMs;
      this.#nextOffersMs = nowMs + Math.max(OFFERS_SETTLE_MS, tookMs * OFFERS_REST_FACTOR);
    }
  }

  /** When offers that changed may be looked through, by the clock; infinity where none did. */
  get nextRefreshMs(): number {
    return this.#areOffersStale ? this.#nextOffersMs : Number.POSITIVE_INFINITY;
  }

  close(): void {
    for (const end of this.#ends) end();
  }

  #refreshLocal(): void {
    this.#isLocalStale = false;
    const here = new Map(this.#ports.node.files().map((file) => [file.id, file]));
    for (const [fileId, file] of here) this.#set(localFile(file, this.#files.get(fileId)));
    for (const known of [...this.#files.values()]) {
      if (!known.isLocal || here.has(known.fileId)) continue;
      // What others offer of it is told by its offer, name and all.
      this.#drop(known.fileId);
      if (known.holders.length > 0) this.#nextOffersMs = Number.NEGATIVE_INFINITY;
      this.#areOffersStale ||= known.holders.length > 0;
    }
  }

  #refreshOffers(): void {
    this.#areOffersStale = false;
    const offers = new Map(this.#ports.node.offers().map((offer) => [offer.fileId, offer]));
    for (const [fileId, offer] of offers) this.#set(offeredFile(offer, this.#files.get(fileId)));
    for (const known of [...this.#files.values()]) {
      if (known.holders.length === 0 || offers.has(known.fileId)) continue;
      if (known.isLocal) this.#set({ ...known, holders: [], offeredExcerpt: "" });
      else this.#drop(known.fileId);
    }
  }

  #set(file: KnownFile): void {
    const known = this.#files.get(file.fileId);
    if (known !== undefined && isSameFile(known, file)) return;
    this.#version += 1;
    this.#files.set(file.fileId, file);
    this.names.set(file.fileId, file.name, this.excerpt(file.fileId));
  }

  #drop(fileId: string): void {
    this.#version += 1;
    this.#files.delete(fileId);
    this.#excerpts.delete(fileId);
    this.names.delete(fileId);
    this.texts.delete(fileId);
  }
}
