/** What a file most likely is, by the ending of its name: how it can be shown here, and what is said of it. Called by screens. */
import { folderNameOf } from "../../spelling/folder-name.ts";

/** `picture`, `video`, `audio`, `text` can be shown on the page, and what a `folder` holds; the rest is saved. */
export type FileKind = "picture" | "video" | "audio" | "text" | "archive" | "document" | "folder" | "other";

/** The shown ones are those whose bytes the API sends with their own type (api/media-type). */
const ENDINGS: Record<Exclude<FileKind, "folder">, string> = {
  picture: "png jpg jpeg gif webp avif bmp",
  video: "mp4 m4v mov webm ogv mkv",
  audio: "mp3 m4a aac flac wav ogg opus oga weba",
  text: "txt log md csv",
  archive: "zip gz tgz xz zst bz2 7z rar tar iso dmg",
  document: "pdf doc docx odt rtf epub xls xlsx ods ppt pptx odp html",
  other: "",
};

const KIND_BY_ENDING = new Map(
  Object.entries(ENDINGS).flatMap(([kind, endings]) =>
    endings.split(" ").map((ending): [string, FileKind] => [ending, kind as FileKind]),
  ),
);

export function endingOf(name: string): string {
  return /\.([a-z0-9]{1,5})$/i.exec(name)?.[1]?.toLowerCase() ?? "";
}

export function fileKind(name: string): FileKind {
  if (folderNameOf(name) !== undefined) return "folder";
  return KIND_BY_ENDING.get(endingOf(name)) ?? "other";
}

/** It can be begun while the rest still comes. */
export function isPlayed(kind: FileKind): boolean {
  return kind === "video" || kind === "audio";
}

export function isShown(kind: FileKind): boolean {
  return ["picture", "video", "audio", "text", "folder"].includes(kind);
}
