/**
 * The thread that reads texts: called by a runtime's entry for it, with the port that its other end, text-reader, asks over.
 * What a document does to its reader is told as data, for errors don't cross threads whole.
 */
import * as Comlink from "comlink";
/** The text, or why there is none to be had. */
export type ReadDocument = {
    text: string;
} | {
    unreadable: string;
};
export interface TextService {
    read(name: string, bytes: Uint8Array): Promise<ReadDocument>;
}
export declare function serveTexts(port: Comlink.Endpoint): void;
