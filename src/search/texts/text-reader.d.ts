/**
 * Texts of documents, read in a thread: started with the first document, ended when it takes too long over one, when it has
 * nothing to do, and at the end. Made by a main, called by the indexer, which reads one document at a time.
 */
import * as Comlink from "comlink";
import type { Clock } from "../../sharing/ports.ts";
import type { ReadDocument } from "./serve-texts.ts";
/** A thread that serves texts. */
export interface TextThread {
    port: Comlink.Endpoint;
    /** Settles when the thread has ended, with the reason if it did so by itself. */
    ended: Promise<Error | undefined>;
    /** Whether it has work: an idle thread keeps no process alive. */
    setBusy(isBusy: boolean): void;
    end(): Promise<void>;
}
export declare class TextReader {
    #private;
    constructor(startThread: () => TextThread, clock: Clock);
    /** `bytes` are handed over. Takes at most DOCUMENT_TIMEOUT_MS, whatever the document is; one call at a time. */
    read(name: string, bytes: Uint8Array<ArrayBuffer>, signal: AbortSignal): Promise<ReadDocument>;
    close(): Promise<void>;
}
