/**
 * The bytes of blocks as they stand on the disk, hashed where they may be others by now. Made by FsBlockStore, which forgets what
 * is lost; calls segment-files and whole-files.
 */
import { CID } from "multiformats/cid";
import { isBelieved } from "../../sharing/believed.ts";
import type { Loss } from "../../sharing/catalog/loss-log.ts";
import type { BlockPlace, SegmentFiles } from "./segment-files.ts";
import { isBlockNow } from "./verify-now.ts";
import type { WholeFiles } from "./whole-files.ts";

export interface Reading {
  /** Where to, if it fits. */
  into?: Uint8Array | undefined;
  /** As BlockStore.read says. */
  isForPeers?: boolean;
}

export class SoundBytes {
  readonly #segments: SegmentFiles;
  readonly #wholes: WholeFiles;

  constructor(segments: SegmentFiles, wholes: WholeFiles) {
    this.#segments = segments;
    this.#wholes = wholes;
  }

  /** What came to harm only on its way here is read once more. */
  async read(key: string, place: BlockPlace, reading: Reading = {}): Promise<Uint8Array | Loss> {
    const found = await this.#look(key, place, reading);
    if (found instanceof Uint8Array || !(found.why === "damaged" || found.why === "changed")) return found;
    place.soundAtMs = undefined;
    return await this.#look(key, place, { ...reading, isForPeers: true });
  }

  /** What is wrong with what stands at the place, where that is not these bytes. */
  async differ(place: BlockPlace, bytes: Uint8Array, buffer: Uint8Array): Promise<Loss | undefined> {
    const kept = await this.#segments.read(place, buffer);
    if (!(kept instanceof Uint8Array)) return kept;
    if (Buffer.compare(kept, bytes) !== 0) return await this.#harmTo(place);
    place.soundAtMs = performance.now();
    return undefined;
  }

  /** What lies where others may write has to be looked at, and what peers are given from time to time. */
  async #look(key: string, place: BlockPlace, reading: Reading): Promise<Uint8Array | Loss> {
    // Before the read: what another one finds meanwhile says nothing of these bytes.
    const isDoubted = reading.isForPeers === true && !isBelieved(place.soundAtMs);
    const bytes = await this.#segments.read(place, reading.into);
    if (!(bytes instanceof Uint8Array)) return bytes;
    if (!isDoubted && !(await this.#wholes.isChanged(place.segment))) return bytes;
    if (!isBlockNow(CID.parse(key), bytes)) return await this.#harmTo(place);
    place.soundAtMs = performance.now();
    return bytes;
  }

  async #harmTo({ segment }: BlockPlace): Promise<Loss> {
    return { why: (await this.#wholes.isChanged(segment)) ? "changed" : "damaged" };
  }
}
