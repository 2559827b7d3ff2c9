/**
 * What a file's name says of its kind: media type, kind in words, and which reader knows its text. Called by the index of
 * files and by the reader of texts; content decides where a name says nothing. Types: IANA's registry, else those in use.
 */
/** One word for what people would call it: the colour of a map, the column `kind` of filters. */
export type FileKind = "text" | "document" | "presentation" | "spreadsheet" | "book" | "web page" | "source code" | "data" | "subtitles" | "image" | "audio" | "video" | "archive" | "font" | "program" | "other";
export interface FileType {
    kind: FileKind;
    mediaType: string;
}
/** The last part of a name, in lower case; all of a name without a dot, as in `Makefile`. */
export declare function extensionOf(name: string): string;
export declare function fileTypeOf(name: string): FileType;
