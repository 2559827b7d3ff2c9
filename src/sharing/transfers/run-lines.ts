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

/** Of one folder. */
interface FolderRuns {
  /** Those that have their turn, wait for it, or begin before it. */
  count: number;
  /** When the last of its files came. */
  cameMs: number;
}

/** What is asked of the line of a folder, or with undefined of that of all others. */
export class RunLines {
  readonly #inFolders = new Turns(FOLDER_RUNS_AT_ONCE);
  readonly #alone = new Turns(LONE_RUNS_AT_ONCE);
  readonly #folders = new Map<string, FolderRuns>();

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
    if (folderId !== undefined) this.#folder(folderId).count += 1;
    return { turn, begin, isItsTurn };
  }

  leave({ turn }: PlaceInLine, folderId: string | undefined): void {
    turn.leave();
    if (folderId === undefined) return;
    const folder = this.#folder(folderId);
    folder.count -= 1;
    if (folder.count === 0) this.#folders.delete(folderId);
  }

  /** A file of the folder is here. */
  came(folderId: string, nowMs: number): void {
    this.#folder(folderId).cameMs = nowMs;
  }

  /** Does one of its runs wait with others, of which none has come since then? */
  isWaitingWhole(folderId: string, sinceMs: number): boolean {
    const { count, cameMs } = this.#folder(folderId);
    return count > 1 && cameMs < sinceMs;
  }

  #folder(folderId: string): FolderRuns {
    const known = this.#folders.get(folderId);
    if (known !== undefined) return known;
    const folder = { count: 0, cameMs: Number.NEGATIVE_INFINITY };
    this.#folders.set(folderId, folder);
    return folder;
  }

  #turns(folderId: string | undefined): Turns {
    return folderId === undefined ? this.#alone : this.#inFolders;
  }
}
