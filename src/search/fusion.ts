/**
 * Several rankings of files become one: reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009) with weights, and
 * before all others files whose name is the query, then those that have what it quotes. Pure; called by file-search.
 */
import { MAX_JOINED, RANK_CONSTANT, RANKING_WEIGHTS } from "./limits.ts";
import type { Exactness, WordHit } from "./names/name-index.ts";

/** Why a file is among the hits: its name, or what it holds. */
export type HitReason = "name" | "content";

export interface Rankings {
  exact: ReadonlyMap<string, Exactness>;
  /** Files with what stands in quotes in the query, each with whether its name has it. */
  quoted: ReadonlyMap<string, boolean>;
  /** Best first: by the words of names, by the words of excerpts, by meaning, which covers all or nothing. */
  name: readonly WordHit[];
  words: readonly WordHit[];
  meaning: readonly WordHit[];
}

export interface FusedHit {
  fileId: string;
  /** 0 to 1, only for comparing hits of one query; 1 where the name is the query. */
  score: number;
  why: HitReason[];
}

/** In which order files stand, whatever their score. */
const QUOTED_TIER = 1;
const TIERS: Record<Exactness, number> = { words: 2, stem: 3, name: 4 };

const SOURCES = ["name", "words", "meaning"] as const;

/** What a file has that is first in all rankings. */
const MOST = SOURCES.reduce((sum, source) => sum + RANKING_WEIGHTS[source].all / (RANK_CONSTANT + 1), 0);

/**
 * Best first. How far a ranking by meaning reaches depends on how many hits are asked for; only its beginning is joined and the
 * rest stands behind all others, so that pages of different lengths are pages of one ranking.
 */
export function fuse(rankings: Rankings): FusedHit[] {
  const [nearest, others] = [rankings.meaning.slice(0, MAX_JOINED), rankings.meaning.slice(MAX_JOINED)];
  const joined = join({ ...rankings, meaning: nearest });
  const known = new Set(joined.map(({ fileId }) => fileId));
  const score = joined.at(-1)?.score ?? 0;
  for (const { fileId } of others) if (!known.has(fileId)) joined.push({ fileId, score, why: ["content"] });
  return joined;
}

function join(rankings: Rankings): FusedHit[] {
  const hits = new Map<string, { score: number; why: Set<HitReason> }>();
  const hitOf = (fileId: string) => {
    const hit = hits.get(fileId) ?? { score: 0, why: new Set() };
    hits.set(fileId, hit);
    return hit;
  };
  for (const source of SOURCES) {
    for (const [place, { fileId, coverage }] of rankings[source].entries()) {
      const hit = hitOf(fileId);
      const { all, some } = RANKING_WEIGHTS[source];
      hit.score += (coverage === 1 ? all : some * coverage) / (RANK_CONSTANT + place + 1) / MOST;
      hit.why.add(source === "name" ? "name" : "content");
    }
  }
  for (const [fileId, isNamed] of rankings.quoted) hitOf(fileId).why.add(isNamed ? "name" : "content");
  for (const fileId of rankings.exact.keys()) hitOf(fileId).why.add("name");
  const tier = (fileId: string) => {
    const exactness = rankings.exact.get(fileId);
    return exactness === undefined ? (rankings.quoted.has(fileId) ? QUOTED_TIER : 0) : TIERS[exactness];
  };
  return [...hits]
    .map(([fileId, { score, why }]) => ({ fileId, fused: score, tier: tier(fileId), why: [...why] }))
    .sort((a, b) => b.tier - a.tier || b.fused - a.fused || (a.fileId < b.fileId ? -1 : 1))
    .map(({ fileId, tier, fused, why }) => ({ fileId, score: scoreOf(tier, fused), why }));
}

/** Those below are higher than all of a lower tier. */
function scoreOf(tier: number, fused: number): number {
  if (tier > QUOTED_TIER) return 1;
  return tier === QUOTED_TIER ? 0.98 + fused * 0.01 : fused * 0.98;
}
