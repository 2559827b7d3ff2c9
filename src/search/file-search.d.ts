import { type HitReason } from "./fusion.ts";
import { type KnownFile, type Scope } from "./known-file.ts";
import { type MeaningState } from "./meaning.ts";
import type { SearchPorts } from "./ports.ts";
export interface SearchQuery {
    text: string;
    scope: Scope;
    /** Most hits. */
    limit?: number | undefined;
    /** SQL over name, type, kind, size, holders, complete, created_at of the files. */
    filter?: string | undefined;
}
export interface SearchHit {
    file: KnownFile;
    /** 0 to 1, only for comparing hits of one search. */
    score: number;
    why: HitReason[];
    /** What it holds that is nearest, or its beginning; empty where nothing is known of its content. */
    excerpt: string;
}
export interface SearchAnswer {
    hits: SearchHit[];
    /** Hits there are, whatever the limit, as far as rankings were looked at. */
    total: number;
    /** `name`: meaning was not to be had. */
    rankedBy: "meaning" | "name";
}
export interface SearchStatus {
    /** `off`: switched off, or a host without a model. */
    state: MeaningState | "off";
    model: string | undefined;
    /** Files found by meaning, and those that still have to be read. */
    indexed: number;
    pending: number;
    problem: string | undefined;
}
export interface FileSearch {
    /** @throws VxError `invalid_query` (the filter), SharingError `wrong_state` (a filter while there is no index) */
    search(query: SearchQuery, signal: AbortSignal): Promise<SearchAnswer>;
    /** Files like one that is here or offered. @throws SharingError `file_not_found` */
    similar(fileId: string, scope: Scope, limit?: number): Promise<SearchAnswer>;
    /** Ids of the files that the filter is true for. @throws as search */
    matching(filter: string, scope: Scope): Promise<Set<string>>;
    status(): SearchStatus;
    close(): Promise<void>;
}
export declare function openFileSearch(ports: SearchPorts): FileSearch;
