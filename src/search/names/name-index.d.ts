export interface WordHit {
    fileId: string;
    /** Share of the query's telling words that were found. */
    coverage: number;
}
/** How a name equals the query: all of it, or without its extension. */
export type Exactness = "name" | "stem";
export declare class NameIndex {
    #private;
    set(fileId: string, name: string, excerpt: string): void;
    delete(fileId: string): void;
    /** Files whose name is the query, whatever the case and diacritics. */
    exact(query: string): Map<string, Exactness>;
    /** Files with most of the query's words in their names, best first. */
    byName(query: string, isWanted: (fileId: string) => boolean): WordHit[];
    /** Files with most of the query's words in their excerpts, best first. */
    byExcerpt(query: string, isWanted: (fileId: string) => boolean): WordHit[];
}
