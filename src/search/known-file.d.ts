/** A file as search knows it: held here, offered by others, or both. Made by the directory; pure. */
import type { LocalFile } from "../sharing/catalog-entry.ts";
import type { Offer } from "../sharing/ports.ts";
export interface KnownFile {
    fileId: string;
    /** The name here where the file is here. */
    name: string;
    sizeBytes: number;
    /** Held here, whole or in part. */
    isLocal: boolean;
    /** All of it is here: its bytes can be read. */
    isComplete: boolean;
    /** Other peers that hold it or some of it; where there are any, it is offered. */
    holders: readonly string[];
    /** What its holders say that it is about; empty where they say nothing. */
    offeredExcerpt: string;
    createdAt: Date | undefined;
}
/** Where a search looks: files held here, files that others offer, or all of them. */
export type Scope = "local" | "network" | "all";
export declare function isIn(scope: Scope, file: KnownFile): boolean;
export declare function localFile({ id, name, sizeBytes, createdAt, complete }: LocalFile, known?: KnownFile): KnownFile;
/** The file as its offer and what is known of it here say. */
export declare function offeredFile(offer: Offer, known?: KnownFile): KnownFile;
export declare function isSameFile(a: KnownFile, b: KnownFile): boolean;
