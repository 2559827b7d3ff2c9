import type { Directory } from "./directory.ts";
import type { Embedder } from "./embedding/embedder.ts";
import type { FileVectors } from "./file-vectors.ts";
import type { MeaningPorts, SearchPorts } from "./ports.ts";
import type { TextReader } from "./texts/text-reader.ts";
export interface IndexerParts extends Pick<SearchPorts, "node" | "swarm" | "clock" | "log"> {
    directory: Directory;
    vectors: FileVectors;
    embedder: Embedder;
    texts: TextReader;
    traffic: MeaningPorts["traffic"];
    tellsExcerpts: boolean;
}
export declare class Indexer {
    #private;
    constructor(parts: IndexerParts);
    /** Files that still have to be read and embedded. */
    get pendingCount(): number;
    /** Does all there is to do now. @throws what embedding and the index throw; the signal's reason */
    catchUp(signal: AbortSignal): Promise<void>;
    /** When there may be something to do although nothing has changed. */
    get nextLookMs(): number;
    /** Others may find files here by what they are about; those that were read before are told of at the start. */
    tellAll(): void;
}
