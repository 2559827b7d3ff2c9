/**
 * Which of very many runs have their turn: some of each folder, and some of all files that were asked for by themselves. Kept by
 * transfer-runs; calls turns.
 */
import { FOLDER_RUNS_AT_ONCE, LONE_RUNS_AT_ONCE } from "../limits.ts";
import { type Turn, Turns } from "./turns.ts";

/** One run's place. */
export interface PlaceInLine {
  turn: Turn;
  /** Its turn has come. */
  begin: () => void;
  isItsTurn: Promise<void>;
}

/** What is asked of the line of a folder, or with undefined of that of all others. */
export class RunLines {
  readonly #inFolders = new Turns(FOLDER_RUNS_AT_ONCE);
  readonly #alone = new Turns(LONE_RUNS_AT_ONCE);
  /** When the last file of each folder came. */
  readonly #cameMs = new Map<string, number>();

  /** Would another file wait for its turn? */
  isFull(folderId: string | undefined): boolean {
    return !this.#turns(folderId).isFree(folderId ?? "");
  }

  isWaitedFor(folderId: string | undefined): boolean {
    return this.#turns(folderId).isWaitedFor(folderId ?? "");
  }

  /** No other file's turn comes until the function returned is called, once. */
  hold(folderId: string): () => void {
    return this.#inFolders.hold(folderId);
  }

  lineUp(folderId: string | undefined): PlaceInLine {
    let begin = () => {};
    const isItsTurn = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const turn = this.#turns(folderId).at(folderId ?? "", begin);
    if (turn.take()) begin();
    return { turn, begin, isItsTurn };
  }

  leave({ turn }: PlaceInLine, folderId: string | undefined): void {
    turn.leave();
    if (folderId !== undefined && this.#inFolders.isIdle(folderId)) this.#cameMs.delete(folderId);
  }

  /** A file of the folder is here. */
  came(folderId: string, nowMs: number): void {
    this.#cameMs.set(folderId, nowMs);
  }

  /** Has any file of the folder come since then? */
  hasComeSince(folderId: string, sinceMs: number): boolean {
    return (this.#cameMs.get(folderId) ?? Number.NEGATIVE_INFINITY) >= sinceMs;
  }

  #turns(folderId: string | undefined): Turns {
    return folderId === undefined ? this.#alone : this.#inFolders;
  }
}
