/**
 * What the medium has lost of files here (an evicted page, a bad disk). Whoever reads a block finds it first; then its file
 * counts as incomplete and is fetched again, while the rest of it is looked through. Called by serving and reading; calls the
 * catalog, the block store and, for the fetching, the transfers.
 */
import type { CID } from "multiformats/cid";
import { isMissingBlock } from "../errors.ts";
import { innerNodes } from "../files/manifest.ts";
import { blockKey } from "../hash.ts";
import { MAX_REPAIRS_AT_START, MAX_SUSPECTS, SUSPECT_EVERY_MS } from "../limits.ts";
import type { BlockStore, Clock, Log } from "../ports.ts";
import type { Catalog } from "./catalog.ts";
import type { CatalogEntry } from "./catalog-entry.ts";

export interface LossesPorts {
  blocks: BlockStore;
  catalog: Catalog;
  clock: Clock;
  log: Log;
  /** What is held of the file has changed: tell the swarm. */
  announce: (fileId: string) => void;
  /** Fetches what is missing of a file, unless that is under way. */
  repair: (fileId: string) => Promise<void>;
  /** The node's end. */
  signal: AbortSignal;
}

export class Losses {
  readonly #ports: LossesPorts;
  /** Chunks that peers asked for in vain and that are to be looked for, by key. */
  readonly #suspects = new Map<string, CID>();
  #isLooking = false;
  #lastLookMs = Number.NEGATIVE_INFINITY;

  constructor(ports: LossesPorts) {
    this.#ports = ports;
  }

  /**
   * A peer asked for a chunk that the store does not have. That is no loss where the file is still on its way, and telling
   * takes a look at every file, so it is done for one chunk now and then.
   */
  suspect(cid: CID): void {
    if (this.#suspects.size < MAX_SUSPECTS) this.#suspects.set(blockKey(cid), cid);
    if (!this.#isLooking) void this.#lookForSuspects();
  }

  /** Looks at these chunks of a file; settles when what of them is lost is being fetched again, and then looks at all others. */
  async check(entry: CatalogEntry, suspected: number[]): Promise<void> {
    if (entry.mayLackMore) return await this.#lookAt(entry, suspected);
    entry.mayLackMore = true;
    try {
      await this.#lookAt(entry, suspected);
    } catch (error) {
      entry.mayLackMore = false;
      throw error;
    }
    void this.#lookAtOthers(entry, suspected);
  }

  /** At start: fetches what was lost while the node was away, of a few files; of the others when they are read. */
  async fetchAllAgain(): Promise<void> {
    const { catalog } = this.#ports;
    const lossy = catalog.files().filter(({ id }) => catalog.isLossy(id));
    for (const { id } of lossy.slice(0, MAX_REPAIRS_AT_START)) await this.tryToFetchAgain(id);
  }

  /** Fetches what is known to be lost of a file; nothing to do for one that was never complete here. */
  async fetchAgain(fileId: string): Promise<void> {
    if (this.#ports.catalog.isLossy(fileId)) await this.#ports.repair(fileId);
  }

  /** For whoever does not depend on it. */
  async tryToFetchAgain(fileId: string): Promise<void> {
    await this.fetchAgain(fileId).catch((error: unknown) => {
      this.#ports.log.warn("a file that has lost chunks is not fetched again", { fileId, error });
    });
  }

  /** An inner node that was lost, made anew from its file's chunk ids; undefined if no file here has it. */
  async restoreNode(cid: CID): Promise<Uint8Array | undefined> {
    const { blocks, catalog } = this.#ports;
    const entry = catalog.entries().find(({ manifest }) => manifest.nodes.some((node) => node.equals(cid)));
    const node = entry && (await innerNodes(entry.manifest)).find((made) => made.cid.equals(cid));
    if (node) await blocks.write(node.cid, node.bytes);
    return node?.bytes;
  }

  async #lookForSuspects(): Promise<void> {
    const { clock, signal } = this.#ports;
    this.#isLooking = true;
    for (const [key, cid] of this.#suspects) {
      const waitMs = this.#lastLookMs + SUSPECT_EVERY_MS - clock.monotonic();
      // Where the node ends meanwhile, its next start finds what is lost.
      if (waitMs > 0) await clock.sleep(waitMs, signal).catch(() => {});
      if (signal.aborted) return;
      this.#suspects.delete(key);
      this.#lastLookMs = clock.monotonic();
      this.#lookFor(cid);
    }
    this.#isLooking = false;
  }

  #lookFor(cid: CID): void {
    const { catalog } = this.#ports;
    for (const entry of catalog.entries()) {
      const held = entry.manifest.indexesOf(cid).filter((index) => entry.holding.has(index));
      if (held.length === 0) continue;
      this.check(entry, held).catch((error: unknown) => this.#notChecked(entry, error));
    }
  }

  async #lookAtOthers(entry: CatalogEntry, suspected: number[]): Promise<void> {
    try {
      await this.#lookAt(entry, allBut(suspected, entry.manifest.chunkCount));
      // A transfer that was just ending when the first was found takes no notice of it.
      await this.tryToFetchAgain(entry.id);
    } catch (error) {
      this.#notChecked(entry, error);
    } finally {
      entry.mayLackMore = false;
    }
  }

  #notChecked({ id: fileId }: CatalogEntry, error: unknown): void {
    const { log, signal } = this.#ports;
    if (!signal.aborted) log.warn("a file was not checked", { fileId, error });
  }

  /** What is found lost of these chunks is being fetched again from the first on; settles when all were looked at. */
  async #lookAt(entry: CatalogEntry, indexes: Iterable<number>): Promise<void> {
    const { catalog, log, announce } = this.#ports;
    const { id: fileId, name, manifest, holding } = entry;
    let lostCount = 0;
    let fetching: Promise<void> | undefined;
    for (const index of indexes) {
      if (!holding.has(index) || (await this.#isSound(manifest.chunkCid(index)))) continue;
      // Its blocks go with it.
      if (catalog.find(fileId) !== entry) break;
      holding.unmark(index);
      lostCount += 1;
      if (lostCount === 1) announce(fileId);
      fetching ??= this.tryToFetchAgain(fileId);
    }
    if (lostCount > 0) log.warn("chunks of a file were lost", { fileId, name, lostCount });
    await fetching;
  }

  async #isSound(cid: CID): Promise<boolean> {
    const { blocks, signal } = this.#ports;
    const buffer = blocks.buffers.take();
    try {
      blocks.doubt(cid);
      await blocks.read(cid, buffer, signal);
      return true;
    } catch (error) {
      if (!isMissingBlock(error)) throw error;
      return false;
    } finally {
      blocks.buffers.give(buffer);
    }
  }
}

function* allBut(some: number[], chunkCount: number): Iterable<number> {
  const left = new Set(some);
  for (let index = 0; index < chunkCount; index++) if (!left.has(index)) yield index;
}
