/**
 * The chunks that nobody was asked for yet, ordered from rarest to most common, each move in O(1): one array
 * sorted by availability, the place where each level starts, and each chunk's place in the array.
 * Peers that hold everything would raise every chunk alike, so only partial holders are counted.
 *
 * Source: the piece picker of libtorrent (a priority-sorted array with boundaries).
 */
import { MAX_COUNTED_HOLDERS, MAX_RUN_CHUNKS, RUNS } from "../limits.ts";
import { shuffled } from "../shuffled.ts";

export class RarityOrder {
  readonly #order: Int32Array;
  readonly #place: Int32Array;
  readonly #level: Uint8Array;
  /** First place of each level; level L spans #starts[L] up to #starts[L + 1]. */
  readonly #starts = new Int32Array(MAX_COUNTED_HOLDERS + 2);
  #length = 0;

  /**
   * All chunks in runs, which `random` (at least 0, below 1) shuffles: two that download from one seed at the same
   * pace and in the same order would never have anything for each other, and disks want neighbours one after the other.
   */
  constructor(chunkCount: number, random: () => number) {
    this.#order = new Int32Array(chunkCount);
    this.#place = new Int32Array(chunkCount);
    this.#level = new Uint8Array(chunkCount);
    this.#length = chunkCount;
    this.#starts.fill(chunkCount, 1);
    // They are taken from the end on: the last takes the place of one that is removed.
    let place = chunkCount;
    const runChunks = Math.min(MAX_RUN_CHUNKS, Math.ceil(chunkCount / RUNS));
    const runs = Int32Array.from({ length: Math.ceil(chunkCount / runChunks) }, (_, at) => at);
    for (const run of shuffled(runs, random)) {
      const end = Math.min(chunkCount, (run + 1) * runChunks);
      for (let index = run * runChunks; index < end; index++) this.#set(--place, index);
    }
  }

  get length(): number {
    return this.#length;
  }

  has(index: number): boolean {
    return (this.#place[index] ?? -1) >= 0;
  }

  /** Takes a chunk out: it was asked for, or is held. */
  remove(index: number): void {
    if (!this.has(index)) return;
    let place = this.#placeOf(index);
    for (let level = this.#levelOf(index); level <= MAX_COUNTED_HOLDERS; level++) {
      const last = this.#start(level + 1) - 1;
      this.#swap(place, last);
      this.#starts[level + 1] = last;
      place = last;
    }
    this.#length -= 1;
    this.#place[index] = -1;
  }

  /** Puts a chunk back: whoever was asked did not deliver. */
  add(index: number): void {
    if (this.has(index)) return;
    let place = this.#length;
    this.#length += 1;
    this.#set(place, index);
    for (let level = MAX_COUNTED_HOLDERS; level >= this.#levelOf(index); level--) {
      const first = this.#start(level + 1);
      this.#swap(place, first);
      this.#starts[level + 1] = first + 1;
      place = first;
    }
  }

  /** One more partial holder of the chunk. */
  raise(index: number): void {
    const level = this.#levelOf(index);
    if (level >= MAX_COUNTED_HOLDERS) return;
    if (this.has(index)) {
      const last = this.#start(level + 1) - 1;
      this.#swap(this.#placeOf(index), last);
      this.#starts[level + 1] = last;
    }
    this.#level[index] = level + 1;
  }

  /** One partial holder less. */
  lower(index: number): void {
    const level = this.#levelOf(index);
    if (level === 0) return;
    if (this.has(index)) {
      const first = this.#start(level);
      this.#swap(this.#placeOf(index), first);
      this.#starts[level] = first + 1;
    }
    this.#level[index] = level - 1;
  }

  /** From rarest to most common. */
  *[Symbol.iterator](): Iterator<number> {
    for (let place = 0; place < this.#length; place++) yield this.#order[place] as number;
  }

  /** The same, but last those without a holder that is counted: what one of these holders has is found sooner. */
  *countedFirst(): Iterable<number> {
    const counted = this.#start(1);
    for (let place = counted; place < this.#length; place++) yield this.#order[place] as number;
    for (let place = 0; place < counted; place++) yield this.#order[place] as number;
  }

  #start(level: number): number {
    return this.#starts[level] as number;
  }

  #levelOf(index: number): number {
    return this.#level[index] as number;
  }

  #placeOf(index: number): number {
    return this.#place[index] as number;
  }

  #set(place: number, index: number): void {
    this.#order[place] = index;
    this.#place[index] = place;
  }

  #swap(a: number, b: number): void {
    const indexA = this.#order[a] as number;
    this.#set(a, this.#order[b] as number);
    this.#set(b, indexA);
  }
}
