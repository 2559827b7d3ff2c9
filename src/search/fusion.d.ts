import type { Exactness, WordHit } from "./names/name-index.ts";
/** Why a file is among the hits: its name, or what it holds. */
export type HitReason = "name" | "content";
export interface Rankings {
    exact: ReadonlyMap<string, Exactness>;
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
export declare function fuse(rankings: Rankings): FusedHit[];
