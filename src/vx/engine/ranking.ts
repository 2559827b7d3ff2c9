/** Rankings joined and cut. Called by searching (for records of two places, and for pages) and by local-search (for pages). */
import type { Neighbours, ScoredNeighbours } from "../hnsw/graph.ts";
import { AnswerSize } from "./answer-size.ts";
import type { Ranking, ResultRange } from "./engine.ts";

/** The k highest by the key, over all rankings; `leaveOut` names results that do not count. */
export function best<T extends Neighbours & Partial<ScoredNeighbours>>(
  k: number,
  rankings: T[],
  key: (ranking: T, i: number) => number,
  leaveOut: (ranking: T, i: number) => boolean = () => false,
): T {
  const all = rankings.flatMap((ranking) =>
    Array.from(ranking.ids, (id, i) => ({ id, ranking, i, key: key(ranking, i) })),
  );
  const kept = all
    .filter(({ ranking, i }) => !leaveOut(ranking, i))
    .sort((a, b) => b.key - a.key)
    .slice(0, k);
  const joined: Neighbours & Partial<ScoredNeighbours> = {
    ids: BigUint64Array.from(kept, ({ id }) => id),
    distances: Float32Array.from(kept, ({ ranking, i }) => ranking.distances[i] as number),
  };
  const hasScores = rankings.every(({ scores }) => scores !== undefined);
  if (hasScores) joined.scores = Float32Array.from(kept, ({ ranking, i }) => ranking.scores?.[i] as number);
  return joined as T;
}

/**
 * The page of a ranking that the range asks for, with each result's metadata, which `textOf` gives by place in the ranking.
 * @throws VxError `invalid_request` where it is too long
 */
export function pageOf(
  { ids, distances, scores }: Neighbours & Partial<ScoredNeighbours>,
  { k, page, pageSize = k }: ResultRange,
  textOf: (i: number) => string | undefined,
): Ranking {
  const start = Math.min((page - 1) * pageSize, ids.length);
  const end = Math.min(start + pageSize, ids.length);
  const metadata: (string | undefined)[] = [];
  const size = new AnswerSize();
  for (let i = start; i < end; i++) metadata.push(size.counted(textOf(i)));
  if (start === 0 && end === ids.length) return { ids, distances, scores, metadata };
  return {
    ids: ids.slice(start, end),
    distances: distances.slice(start, end),
    scores: scores?.slice(start, end),
    metadata,
  };
}
