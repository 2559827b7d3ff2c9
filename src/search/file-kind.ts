/**
 * What a file's name says of its kind: media type, and kind in words. Called by the index of files and by the reader of texts;
 * content decides where a name says nothing. Reads media-types.
 */
import { BYTES, MEDIA_TYPES } from "./media-types.ts";

/** One word for what people would call it: the colour of a map, the column `kind` of filters. */
export type FileKind =
  | "text"
  | "document"
  | "presentation"
  | "spreadsheet"
  | "book"
  | "web page"
  | "source code"
  | "data"
  | "subtitles"
  | "image"
  | "audio"
  | "video"
  | "archive"
  | "font"
  | "program"
  | "other";

export interface FileType {
  kind: FileKind;
  mediaType: string;
}

const UNKNOWN: FileType = { kind: "other", mediaType: BYTES };

const BY_EXTENSION = new Map<string, FileType>(
  Object.entries(MEDIA_TYPES).flatMap(([kind, types]) =>
    Object.entries(types).flatMap(([mediaType, extensions]) =>
      extensions
        .split(" ")
        .map((extension): [string, FileType] => [extension, { kind: kind as FileKind, mediaType }]),
    ),
  ),
);

/** Longest extension there is in the table. */
const MAX_EXTENSION_CHARS = 12;

/** The last part of a name, in lower case; all of a name without a dot, as in `Makefile`. */
export function extensionOf(name: string): string {
  return name.slice(name.lastIndexOf(".") + 1, name.lastIndexOf(".") + 2 + MAX_EXTENSION_CHARS).toLowerCase();
}

export function fileTypeOf(name: string): FileType {
  return BY_EXTENSION.get(extensionOf(name)) ?? UNKNOWN;
}
