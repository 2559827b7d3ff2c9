import type { SharingNode } from "../sharing/node.ts";
import type { Clock, Swarm } from "../sharing/ports.ts";
import { type KnownFile } from "./known-file.ts";
import { NameIndex } from "./names/name-index.ts";
export interface DirectoryPorts {
    node: Pick<SharingNode, "events" | "files" | "offers">;
    swarm: Pick<Swarm, "subscribe">;
    clock: Clock;
}
export declare class Directory {
    #private;
    readonly names: NameIndex;
    /** `onChange`: something may have changed, which the next look will show. */
    constructor(ports: DirectoryPorts, onChange: () => void);
    get(fileId: string): KnownFile | undefined;
    /** Local files first. */
    all(): KnownFile[];
    get fileCount(): number;
    /** The beginning of its text, as read here or told by its holders. */
    excerpt(fileId: string): string;
    /** What was read of a file here; kept as long as the file is known. */
    setExcerpt(fileId: string, excerpt: string): void;
    /** Takes in what has changed; of offers at most once a moment, for there may be a hundred thousand. */
    refresh(): void;
    /** When offers that changed may be looked through, by the clock; infinity where none did. */
    get nextRefreshMs(): number;
    close(): void;
}
