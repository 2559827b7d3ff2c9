/**
 * The text of a document: the words of its first pages, or none where it has none that can be read. Called in a thread of its
 * own by serve-texts, for strangers wrote the document; calls one reader a format, each loaded when it is first needed.
 */
/** How many bytes from the beginning are needed to read a text; 0: there is none to be had. */
export declare function bytesToRead(name: string, sizeBytes: number): number;
/** Empty where there is no text. @throws what a reader throws for a document that is damaged or locked */
export declare function readText(name: string, bytes: Uint8Array): Promise<string>;
