/**
 * The kinds that the node tells of files, gathered into as many families as there are colours, so that a family has the same
 * one on every map. Called by the parts of the map.
 */
import { folderNameOf } from "../../spelling/folder-name.ts";

export interface KindFamily {
  name: string;
  /** Of the theme's peer colours, from 1; 0 for files of no family. */
  hue: number;
}

const OTHERS: KindFamily = { name: "Others", hue: 0 };

const KINDS: Record<string, readonly string[]> = {
  Documents: ["document", "presentation", "book", "web page"],
  Images: ["image"],
  Texts: ["text", "subtitles"],
  "Source code": ["source code"],
  Audio: ["audio"],
  Video: ["video"],
  "Tables and data": ["spreadsheet", "data"],
  "Archives and programs": ["archive", "program"],
};

/** In the order of their hues, the one without a colour last. */
export const KIND_FAMILIES: readonly KindFamily[] = [
  ...Object.keys(KINDS).map((name, index) => ({ name, hue: index + 1 })),
  OTHERS,
];

const FAMILY_BY_KIND = new Map(
  Object.values(KINDS).flatMap((kinds, index) =>
    kinds.map((kind): [string, KindFamily] => [kind, KIND_FAMILIES[index] ?? OTHERS]),
  ),
);

/** To the node a folder is what its list is, data. */
export function familyOf({ name, kind }: { name: string; kind: string }): KindFamily {
  return (folderNameOf(name) === undefined ? FAMILY_BY_KIND.get(kind) : undefined) ?? OTHERS;
}
