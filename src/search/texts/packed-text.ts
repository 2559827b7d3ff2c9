/**
 * The words of documents that are ZIP archives of XML: Office Open XML (ECMA-376), OpenDocument (OASIS), EPUB (W3C), zipped
 * FictionBook; of any other archive, the names in it. Called by read-text; calls archive, book-parts and markup-text.
 */
import { Archive } from "./archive.ts";
import { chaptersOf } from "./book-parts.ts";
import { decodeText } from "./decoding.ts";
import { ENOUGH_RAW_CHARS } from "./limits.ts";
import { listedNames } from "./listed-names.ts";
import { declaredEncoding, markupText } from "./markup-text.ts";
import { HTML, METADATA, OFFICE, PACKAGE, SHEET, type Vocabulary, xmlVocabulary } from "./vocabularies.ts";

/** Parts in the order in which they are read, and of those that one pattern is for, in that of their numbers. */
type Parts = readonly (readonly [pattern: RegExp, vocabulary: Vocabulary | typeof xmlVocabulary])[];

interface PackedFormat {
  isOf: (names: readonly string[]) => boolean;
  /** Unpacked one after the other, as long as there is room for text: what is large and says little comes last. */
  steps: readonly Parts[];
}

const FORMATS: readonly PackedFormat[] = [
  {
    isOf: haveOne(/^word\/document\d*\.xml$/),
    steps: [
      [
        [/^docProps\/core\.xml$/, METADATA],
        [/^word\/document\d*\.xml$/, OFFICE],
      ],
      [
        [/^word\/(?:footnotes|endnotes)\.xml$/, OFFICE],
        [/^word\/(?:header|footer)\d*\.xml$/, OFFICE],
        [/^word\/(?:comments|diagrams\/data\d*)\.xml$/, OFFICE],
      ],
    ],
  },
  {
    isOf: haveOne(/^ppt\/(?:presentation|slides\/slide\d+)\.xml$/),
    steps: [
      [
        [/^docProps\/core\.xml$/, METADATA],
        [/^ppt\/slides\/slide\d+\.xml$/, OFFICE],
      ],
      [
        [/^ppt\/notesSlides\/notesSlide\d+\.xml$/, OFFICE],
        [/^ppt\/diagrams\/data\d*\.xml$/, OFFICE],
      ],
    ],
  },
  {
    isOf: haveOne(/^xl\/(?:workbook|worksheets\/sheet\d+)\.xml$/),
    steps: [
      [
        [/^docProps\/core\.xml$/, METADATA],
        [/^xl\/workbook\.xml$/, OFFICE],
        [/^xl\/sharedStrings\.xml$/, OFFICE],
      ],
      [
        [/^xl\/worksheets\/sheet\d+\.xml$/, SHEET],
        [/^xl\/(?:comments\d*|drawings\/drawing\d+)\.xml$/, OFFICE],
      ],
    ],
  },
  {
    isOf: haveOne(/^content\.xml$/),
    steps: [
      [
        [/^meta\.xml$/, METADATA],
        [/^content\.xml$/, xmlVocabulary],
      ],
    ],
  },
  {
    isOf: (names) => names.length === 1 && haveOne(/\.fb2$/)(names),
    steps: [[[/\.fb2$/, xmlVocabulary]]],
  },
];

const PACKAGE_PART = /\.opf$/;

const isBook = (names: readonly string[]) =>
  haveOne(PACKAGE_PART)(names) && haveOne(/^(?:mimetype|META-INF\/container\.xml)$/)(names);

export function packedText(bytes: Uint8Array): string {
  const archive = new Archive(bytes);
  const { names } = archive;
  if (isBook(names)) return bookText(archive);
  const format = FORMATS.find(({ isOf }) => isOf(names));
  return format === undefined ? listedNames(names) : officeText(archive, format);
}

function officeText(archive: Archive, { steps }: PackedFormat): string {
  let text = "";
  for (const parts of steps) {
    const unpacked = archive.unpack((name) => rankOf(name, parts) >= 0);
    for (const [name, part] of [...unpacked].sort(inReadingOrder(parts))) {
      if (text.length >= ENOUGH_RAW_CHARS) return text;
      text += ` ${partText(part, parts[rankOf(name, parts)]?.[1] ?? xmlVocabulary)}`;
    }
  }
  return text;
}

function bookText(archive: Archive): string {
  const [first] = archive.unpack((name) => PACKAGE_PART.test(name));
  if (first === undefined) return "";
  const [path, part] = first;
  let text = partText(part, PACKAGE);
  const chapters = chaptersOf(markupOf(part), path, archive.names);
  const unpacked = archive.unpack((name) => chapters.includes(name));
  for (const chapter of chapters) {
    if (text.length >= ENOUGH_RAW_CHARS) break;
    text += ` ${partText(unpacked.get(chapter) ?? new Uint8Array(0), HTML)}`;
  }
  return text;
}

function partText(part: Uint8Array, vocabulary: Vocabulary | typeof xmlVocabulary): string {
  const markup = markupOf(part);
  return markupText(markup, typeof vocabulary === "function" ? vocabulary(markup) : vocabulary);
}

function markupOf(part: Uint8Array): string {
  return decodeText(part, declaredEncoding(part))?.text ?? "";
}

function haveOne(pattern: RegExp): (names: readonly string[]) => boolean {
  return (names) => names.some((name) => pattern.test(name));
}

function rankOf(name: string, parts: Parts): number {
  return parts.findIndex(([pattern]) => pattern.test(name));
}

function inReadingOrder(parts: Parts) {
  return ([a]: [string, Uint8Array], [b]: [string, Uint8Array]) =>
    rankOf(a, parts) - rankOf(b, parts) || numberOf(a) - numberOf(b);
}

function numberOf(name: string): number {
  return Number(/(\d{1,6})\.xml$/.exec(name)?.[1] ?? 0);
}
