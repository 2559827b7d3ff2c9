/**
 * Which of the peers that are served gives its place to one that comes, where all are taken. Pure; called by exchange. Whoever
 * takes slowly has its place for one block, and a while if it takes next to nothing; who only waits for its turn keeps it, unless
 * many have come from its host, and so does whoever would go in vain.
 */
import { TRICKLE_BYTES_PER_SECOND } from "../../sharing/limits.ts";
import {
  KEPT_PLACES_PER_HOST,
  MAX_BLOCK_BYTES,
  SLOW_READER_BYTES_PER_SECOND,
  SLOW_READER_MS,
} from "../limits.ts";

export interface PlaceHolder {
  /** From where it comes. */
  readonly host: string;
  /** It waits for an answer. */
  readonly isAsking: boolean;
  /** Something is being read for it: until that has ended, its place would be nobody's. */
  readonly outlastsItsEnd: boolean;
  /** When it asked for a block for the last time; 0 if it never has. */
  readonly lastWantMs: number;
  /** It has let a piece of a block wait for long. */
  readonly letsWait: boolean;
  /** How long it has its place. */
  readonly servedMs: number;
  /** What of blocks it was sent meanwhile. */
  readonly sentBytes: number;
}

/** `host`: from where comes who needs a place. */
export function whoGivesWay<Holder extends PlaceHolder>(
  holders: Iterable<Holder>,
  host: string,
): Holder | undefined {
  const all = [...holders];
  const free = all.filter(({ outlastsItsEnd }) => !outlastsItsEnd);
  return leastAsking(free) ?? slowestReader(free) ?? oneOfMany(all, host);
}

/** Of those that wait for no answer, and watch at most, who never asked for a block or last did the longest ago. */
function leastAsking<Holder extends PlaceHolder>(holders: Holder[]): Holder | undefined {
  const [least] = holders.filter(({ isAsking }) => !isAsking).sort((a, b) => a.lastWantMs - b.lastWantMs);
  return least;
}

/** Who takes the least a second, of those that are slow and had time for a block, or get nowhere. */
function slowestReader<Holder extends PlaceHolder>(holders: Holder[]): Holder | undefined {
  return slowestOf(holders.filter(mayGiveWay));
}

/** Who takes the least a second from the host that has the most places, down to as many as the newcomer's. */
function oneOfMany<Holder extends PlaceHolder>(holders: Holder[], host: string): Holder | undefined {
  const counts = new Map<string, number>();
  for (const holder of holders) counts.set(holder.host, (counts.get(holder.host) ?? 0) + 1);
  const most = Math.max(...counts.values());
  if (most <= Math.max(KEPT_PLACES_PER_HOST, (counts.get(host) ?? 0) + 1)) return undefined;
  return slowestOf(holders.filter((holder) => counts.get(holder.host) === most && !holder.outlastsItsEnd));
}

function slowestOf<Holder extends PlaceHolder>(holders: Holder[]): Holder | undefined {
  const [slowest] = holders.sort((a, b) => bytesPerSecond(a) - bytesPerSecond(b));
  return slowest;
}

function mayGiveWay(holder: PlaceHolder): boolean {
  const { letsWait, sentBytes, servedMs } = holder;
  const speed = bytesPerSecond(holder);
  const getsNowhere = servedMs >= SLOW_READER_MS && speed < TRICKLE_BYTES_PER_SECOND;
  return letsWait && speed < SLOW_READER_BYTES_PER_SECOND && (getsNowhere || sentBytes >= MAX_BLOCK_BYTES);
}

function bytesPerSecond({ sentBytes, servedMs }: PlaceHolder): number {
  return (sentBytes * 1000) / Math.max(1, servedMs);
}
