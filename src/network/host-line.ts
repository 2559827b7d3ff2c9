/**
 * Who waits of those that come from one host: one of each peer has its turn, then a second of each, so that who shares a relay or
 * an address with a busy one is not behind all that this one asks. Kept by host-turns.
 */
import { Counts } from "./counts.ts";
import { MAX_WAITING_PER_HOST } from "./limits.ts";

export interface Waiting {
  readonly peerId: string;
  go(): void;
  /** Too many wait. */
  refuse(): void;
}

export class HostLine {
  /** By peer, the next first, and so for each. */
  readonly #byPeer = new Map<string, Set<Waiting>>();
  readonly #counts = new Counts();
  #size = 0;

  get isEmpty(): boolean {
    return this.#size === 0;
  }

  /** Where too many wait, the last of whoever has the most gives way, down to as many as another; else the new one is refused. */
  join(one: Waiting): void {
    if (this.#size >= MAX_WAITING_PER_HOST && !this.#makeRoom(one)) {
      one.refuse();
      return;
    }
    this.#byPeer.set(one.peerId, (this.#byPeer.get(one.peerId) ?? new Set()).add(one));
    this.#counts.change(one.peerId, 1);
    this.#size += 1;
  }

  leave(one: Waiting): void {
    const waiting = this.#byPeer.get(one.peerId);
    if (waiting?.delete(one) !== true) return;
    if (waiting.size === 0) this.#byPeer.delete(one.peerId);
    this.#counts.change(one.peerId, -1);
    this.#size -= 1;
  }

  /** The first goes, and its peer's next one is behind all others. */
  giveTurn(): void {
    const [[peerId, waiting] = []] = this.#byPeer;
    const [first] = waiting ?? [];
    if (peerId === undefined || waiting === undefined || first === undefined) return;
    this.#byPeer.delete(peerId);
    this.#byPeer.set(peerId, waiting);
    this.leave(first);
    first.go();
  }

  #makeRoom({ peerId }: Waiting): boolean {
    const most = this.#counts.most ?? peerId;
    if (this.#counts.of(most) <= this.#counts.of(peerId) + 1) return false;
    const last = [...(this.#byPeer.get(most) ?? [])].at(-1);
    if (last === undefined) return false;
    this.leave(last);
    last.refuse();
    return true;
  }
}
