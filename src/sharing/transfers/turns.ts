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
  /** Who wants that nobody's turn comes. */
  holds: number;
}

/** `manifest`: of a file that has one besides its only chunk. Short files are not before it: how long it is nobody knows yet. */
export type TurnKind = "manifest" | "short" | "long";

/** A transfer's places at one peer. */
export type TurnsAtPeer = Record<TurnKind, Turn>;

const NOBODY: Line = { turns: new Set(), waiting: new Set(), holds: 0 };

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

  /** Would it be the turn of another file at once, or with the first once nobody holds that up? */
  isFree(key: string): boolean {
    const { turns, waiting } = this.#lines.get(key) ?? NOBODY;
    return turns.size + waiting.size < this.#places;
  }

  /** Nobody's turn comes until the function returned is called, once. */
  hold(key: string): () => void {
    const line = this.#line(key);
    line.holds += 1;
    return () => {
      line.holds -= 1;
      this.#goOn(key, line);
    };
  }

  /** Does anybody wait for a turn? */
  isWaitedFor(key: string): boolean {
    return (this.#lines.get(key)?.waiting.size ?? 0) > 0;
  }

  #take(key: string, place: Place): boolean {
    const line = this.#line(key);
    if (line.turns.has(place)) return true;
    const hasRoom = this.#hasRoom(line);
    (hasRoom ? line.turns : line.waiting).add(place);
    return hasRoom;
  }

  #leave(key: string, place: Place): void {
    const line = this.#lines.get(key);
    if (line === undefined) return;
    line.waiting.delete(place);
    line.turns.delete(place);
    this.#goOn(key, line);
  }

  #goOn(key: string, line: Line): void {
    for (const next of line.waiting) {
      if (!this.#hasRoom(line)) return;
      line.waiting.delete(next);
      line.turns.add(next);
      next.onTurn();
    }
    const isOver = line.turns.size === 0 && line.holds === 0;
    // Whose turn came may have left again, and another line have begun.
    if (isOver && this.#lines.get(key) === line) this.#lines.delete(key);
  }

  #line(key: string): Line {
    const line = this.#lines.get(key) ?? { turns: new Set(), waiting: new Set(), holds: 0 };
    this.#lines.set(key, line);
    return line;
  }

  #hasRoom({ turns, holds }: Line): boolean {
    return holds === 0 && turns.size < this.#places;
  }
}
