import type { Directory } from "./directory.ts";
import { type NearFile } from "./file-vectors.ts";
import type { Scope } from "./known-file.ts";
import type { MeaningPorts, SearchPorts } from "./ports.ts";
/** `idle`: there was no file to find yet. `failed`: it is tried again, but for a model that can't be used. */
export type MeaningState = "idle" | "loading" | "ready" | "failed";
export declare class Meaning {
    #private;
    constructor(ports: SearchPorts, meaning: MeaningPorts, directory: Directory);
    get state(): MeaningState;
    /** Why it failed. */
    get problem(): string | undefined;
    get modelId(): string | undefined;
    /** Files in the index, and those that still have to be embedded. */
    counts(): {
        indexed: number;
        pending: number;
    };
    /** Files may have changed. */
    changed(): void;
    /** Files whose text or name is about what the query is about, nearest first; undefined while it is not ready. */
    nearest(text: string, scope: Scope, wanted: number, { filter, signal }: {
        filter?: string | undefined;
        signal: AbortSignal;
    }): Promise<NearFile[] | undefined>;
    /** Files like one in the index; undefined where it is not there. */
    similar(fileId: string, scope: Scope, wanted: number): Promise<NearFile[] | undefined>;
    /** Undefined while it is not ready. @throws VxError `invalid_query` */
    matching(filter: string, fileIds: readonly string[]): Promise<Set<string> | undefined>;
    /** Undefined while it is not ready. @throws VxError `invalid_query` */
    allMatching(filter: string, scope: Scope): Promise<Set<string> | undefined>;
    /** @throws VxError `invalid_query` unless the filter is one expression */
    checkFilter(filter: string): Promise<void>;
    close(): Promise<void>;
}
