/** The text of the bytes, which may end within a character; undefined where they are no text. */
export declare function decodeText(bytes: Uint8Array): string | undefined;
