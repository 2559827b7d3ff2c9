/** A peer as the picker knows it: what it holds, what it is asked for, and when that may come. Kept by the picker. */
import { bitfieldBytes, hasBit } from "../bitfield.ts";
import { MAX_OVERTAKEN } from "../limits.ts";

/** How fast a peer is, now and whenever it is looked at again. */
export interface PeerPace {
  /** 0 while unknown. */
  readonly bytesPerSecond: number;
  /** It was asked, and has brought no chunk for so long that it may never bring one. */
  readonly isSilent: boolean;
}

export interface Pick {
  index: number;
  /** A reader waits for it now, or in a moment. */
  isUrgent: boolean;
}

interface AskedChunk extends Pick {
  /** Of all that the peer was asked for. */
  nth: number;
}

export class PickerPeer {
  holdsAll = false;
  /** The chunks that it holds; of one that said it holds all, those that it turned out to lack. */
  bits: Uint8Array;
  bitsAreLacks = false;
  /** No missing chunk that it holds lies below; the file's end where it has nothing to give. */
  lowest: number;
  /** Chunks asked for and not yet answered, oldest first. */
  asked: AskedChunk[] = [];
  /** Chunks ever asked of it. */
  askedCount: number;
  pace: PeerPace = { bytesPerSecond: 0, isSilent: false };

  /** `askedCount`: what it counts as asked for already, for round robin. */
  constructor(chunkCount: number, askedCount: number) {
    this.bits = new Uint8Array(bitfieldBytes(chunkCount));
    this.lowest = chunkCount;
    this.askedCount = askedCount;
  }

  holds(index: number): boolean {
    return hasBit(this.bits, index) !== this.bitsAreLacks;
  }

  ask(pick: Pick): void {
    this.askedCount += 1;
    this.asked.push({ ...pick, nth: this.askedCount });
  }

  forget(index: number): void {
    this.asked = this.asked.filter((other) => other.index !== index);
  }

  /** So much was answered that was asked of the peer later that it may never bring the chunk, however fast it is. */
  keepsBack(index: number): boolean {
    const place = this.#placeOf(index);
    const laterCount = this.askedCount - (this.asked[place]?.nth ?? this.askedCount);
    const openCount = this.asked.length - 1 - place;
    return laterCount - openCount >= MAX_OVERTAKEN;
  }

  /** How long until the chunk comes, if it was or would now be asked for; in seconds times chunk size. */
  timeUntil({ index, isUrgent }: Pick, bytesPerSecond = this.pace.bytesPerSecond): number {
    const place = this.#placeOf(index);
    const before = place === -1 ? this.asked : this.asked.slice(0, place);
    const turns = 1 + (isUrgent ? before.filter((other) => other.isUrgent) : before).length;
    return turns / bytesPerSecond;
  }

  /** Among those asked for and not yet answered. */
  #placeOf(index: number): number {
    return this.asked.findIndex((other) => other.index === index);
  }
}
