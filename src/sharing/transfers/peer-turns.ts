/**
 * Whose turn it is at each peer. Of many long files from one peer the first are whole soon where few are brought at a time; all
 * at once, each would be whole at the very end. Of very many short ones each would wait for longer than anybody waits for a
 * peer. Who is ready first is first. One of each kind, shared by all transfers.
 */

/** A transfer's place at one peer. */
export interface PeerTurn {
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
export type TurnsAtPeer = Record<TurnKind, PeerTurn>;

export class PeerTurns {
  readonly #places: number;
  readonly #lines = new Map<string, Line>();

  /** `places`: files that have their turn at one peer at the same time. */
  constructor(places: number) {
    this.#places = places;
  }

  /** Nothing is taken yet. `onTurn`: it has waited, and now it is its turn. */
  at(peerId: string, onTurn: () => void): PeerTurn {
    const place = { onTurn };
    const line = () => this.#lines.get(peerId);
    return {
      get isOurs() {
        return line()?.turns.has(place) ?? false;
      },
      get isWaiting() {
        return line()?.waiting.has(place) ?? false;
      },
      take: () => this.#take(peerId, place),
      leave: () => this.#leave(peerId, place),
    };
  }

  /** Would another file be brought from there at once? */
  isFree(peerId: string): boolean {
    return (this.#lines.get(peerId)?.turns.size ?? 0) < this.#places;
  }

  #take(peerId: string, place: Place): boolean {
    const line = this.#lines.get(peerId) ?? { turns: new Set(), waiting: new Set() };
    this.#lines.set(peerId, line);
    if (line.turns.has(place)) return true;
    const hasRoom = line.turns.size < this.#places;
    (hasRoom ? line.turns : line.waiting).add(place);
    return hasRoom;
  }

  #leave(peerId: string, place: Place): void {
    const line = this.#lines.get(peerId);
    line?.waiting.delete(place);
    if (!line?.turns.delete(place)) return;
    const [next] = line.waiting;
    if (next) {
      line.waiting.delete(next);
      line.turns.add(next);
      next.onTurn();
    } else if (line.turns.size === 0) this.#lines.delete(peerId);
  }
}
