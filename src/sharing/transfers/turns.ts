/**
 * Whose turn it is: at each peer, in each folder, and among those that were asked for by themselves. Of many long files from one
 * peer the first are whole soon where few are brought at a time; all at once, each would be whole at the very end. Of very many
 * short ones each would wait for longer than anybody waits for a peer. Of thousands few are run at a time, since each that runs
 * takes memory and open files. Who is ready first is first. One of each kind, shared by all transfers.
 */

/** A transfer's place in one line. */
export interface Turn {
  readonly isOurs: boolean;
  /** Others are before it. */
  readonly isWaiting: boolean;
  /** Is it its turn? If not, it waits from now on. */
  take(): boolean;
  /** Somebody else may have it. */
  leave(): void;
}

interface Place {
  onTurn: () => void;
}

interface Line {
  turns: Set<Place>;
  waiting: Set<Place>;
}

/** `manifest`: of a file that has one besides its only chunk. Short files are not before it: how long it is nobody knows yet. */
export type TurnKind = "manifest" | "short" | "long";

/** A transfer's places at one peer. */
export type TurnsAtPeer = Record<TurnKind, Turn>;

export class Turns {
  readonly #places: number;
  readonly #lines = new Map<string, Line>();

  /** `places`: files that have their turn at one peer, or in one folder, at the same time. */
  constructor(places: number) {
    this.#places = places;
  }

  /** Nothing is taken yet. `onTurn`: it has waited, and now it is its turn. `key`: of the peer, or the folder. */
  at(key: string, onTurn: () => void): Turn {
    const place = { onTurn };
    const line = () => this.#lines.get(key);
    return {
      get isOurs() {
        return line()?.turns.has(place) ?? false;
      },
      get isWaiting() {
        return line()?.waiting.has(place) ?? false;
      },
      take: () => this.#take(key, place),
      leave: () => this.#leave(key, place),
    };
  }

  /** Would it be the turn of another file at once? */
  isFree(key: string): boolean {
    return (this.#lines.get(key)?.turns.size ?? 0) < this.#places;
  }

  /** Does anybody wait for a turn? */
  isWaitedFor(key: string): boolean {
    return (this.#lines.get(key)?.waiting.size ?? 0) > 0;
  }

  /** Has nobody a turn? */
  isIdle(key: string): boolean {
    return !this.#lines.has(key);
  }

  #take(key: string, place: Place): boolean {
    const line = this.#lines.get(key) ?? { turns: new Set(), waiting: new Set() };
    this.#lines.set(key, line);
    if (line.turns.has(place)) return true;
    const hasRoom = line.turns.size < this.#places;
    (hasRoom ? line.turns : line.waiting).add(place);
    return hasRoom;
  }

  #leave(key: string, place: Place): void {
    const line = this.#lines.get(key);
    line?.waiting.delete(place);
    if (!line?.turns.delete(place)) return;
    const [next] = line.waiting;
    if (next) {
      line.waiting.delete(next);
      line.turns.add(next);
      next.onTurn();
    } else if (line.turns.size === 0) this.#lines.delete(key);
  }
}
