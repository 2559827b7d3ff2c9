import type { Vx } from "../vx/vx.ts";
import type { KnownFile, Scope } from "./known-file.ts";
/** What was embedded of a file beside its name. */
export type Source = "content" | "excerpt" | "name";
interface StoredFacts {
    source: Source;
    /** The beginning of the text. */
    excerpt: string;
    offeredExcerpt: string;
    name: string;
    isLocal: boolean;
    isComplete: boolean;
    isOffered: boolean;
    holderCount: number;
}
/** What the index holds of a file. */
export interface IndexedFile extends StoredFacts {
    number: number;
    passageCount: number;
}
/** A file to be put into the index, with the vectors of its passages, row-major [passages.length, dimension]. */
export interface EmbeddedFile {
    file: KnownFile;
    source: Source;
    excerpt: string;
    passages: readonly string[];
    vectors: Float32Array;
}
/** A file by its nearest passage. */
export interface NearFile {
    fileId: string;
    /** Cosine, -1..1. */
    similarity: number;
    /** The passage's beginning; empty where it is the first. */
    snippet: string;
}
export declare class FileVectors {
    #private;
    private constructor();
    /** Reads what the index holds. @throws VxError as Vx.ready */
    static load(vx: Vx, signal: AbortSignal): Promise<FileVectors>;
    get(fileId: string): IndexedFile | undefined;
    entries(): [fileId: string, file: IndexedFile][];
    get fileCount(): number;
    /** All files or none. @throws VxError `storage_full`, `unavailable` */
    put(files: readonly EmbeddedFile[]): Promise<void>;
    /** Facts of a file changed, its texts did not. @throws as put */
    restate(file: KnownFile): Promise<void>;
    /** @throws as put */
    delete(fileId: string): Promise<void>;
    /** Files nearest first. @throws VxError `invalid_query` (the filter) */
    nearest(vector: Float32Array, scope: Scope, wanted: number, filter?: string): Promise<NearFile[]>;
    /** Files with passages like those of the file, nearest first; undefined where it is not in the index. */
    similar(fileId: string, scope: Scope, wanted: number): Promise<NearFile[] | undefined>;
    /** Which of the files the filter is true for. @throws VxError `invalid_query` */
    matching(filter: string, fileIds: readonly string[]): Promise<Set<string>>;
    /** All files in the scope that the filter is true for, the first 10,000. @throws VxError `invalid_query` */
    allMatching(filter: string, scope: Scope): Promise<Set<string>>;
    /** @throws VxError `invalid_query` unless the filter is one expression */
    checkFilter(filter: string, dimension: number): Promise<void>;
    close(): Promise<void>;
}
export {};
