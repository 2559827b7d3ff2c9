/**
 * What people read of each kind of markup: which elements hold text, which of them part words, and what attributes tell. Used by
 * markup-text and the readers that call it. Sources: HTML, ECMA-376 (Office), OASIS OpenDocument, EPUB 3, FictionBook 2, RSS 2.0,
 * RFC 4287 (Atom), OPML 2.0, KML 2.3, GPX 1.1.
 */

export interface OpenElement {
  name: string;
  attributes: Readonly<Record<string, string>>;
}

export interface Vocabulary {
  isXml: boolean;
  /** Elements whose text nobody reads. */
  leftOut: ReadonlySet<string>;
  /** Elements whose text alone counts; without it that of all others. */
  only?: (name: string, parent: OpenElement) => boolean;
  /** Elements within a word; beginning and end of any other part words. */
  inline: (name: string) => boolean;
  /** What the attributes of an element tell. */
  told?: (name: string, attributes: Readonly<Record<string, string>>) => string | undefined;
  /** Elements whose text is HTML. */
  escaped?: ReadonlySet<string>;
}

const set = (...lists: string[]) => new Set(lists.flatMap((list) => list.split(" ")));

/** `w:t` and `x:t` are `t`: programs choose the prefix. */
const local = (name: string) => name.slice(name.indexOf(":") + 1);

const UNREAD = set("script style template noscript iframe object nav");

const INLINE = set(
  "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd mark q rb ruby s samp small span strong sub sup",
  "time tt u var wbr tspan emphasis strikethrough",
);

export const HTML: Vocabulary = {
  isXml: false,
  // `rt` and `rp`: how the word before is pronounced.
  leftOut: new Set([...UNREAD, "rt", "rp"]),
  inline: (name) => INLINE.has(name),
  told: (name, { alt, content, name: of }) =>
    name === "img" ? alt : name === "meta" && of === "description" ? content : undefined,
};

const XML: Vocabulary = {
  isXml: true,
  leftOut: UNREAD,
  inline: (name) => INLINE.has(name),
};

const FEED: Vocabulary = {
  ...XML,
  leftOut: set(
    "link guid id pubDate lastBuildDate updated published generator docs language ttl managingEditor webMaster",
    "url uri email dc:date sy:updatePeriod sy:updateFrequency",
  ),
  escaped: set("title description summary content content:encoded"),
};

const OUTLINE: Vocabulary = {
  ...XML,
  leftOut: set("dateCreated dateModified ownerEmail ownerId docs expansionState"),
  told: (name, { text, title, description }) =>
    name === "outline" ? `${text || title || ""} ${description ?? ""}` : undefined,
};

const FICTION_BOOK: Vocabulary = {
  ...XML,
  leftOut: set("binary document-info genre lang src-lang stylesheet"),
};

/** Maps and tracks: names and descriptions, no places. */
const GEOGRAPHY: Vocabulary = {
  ...XML,
  leftOut: set("coordinates styleUrl Style StyleMap LookAt Camera trkseg ele time"),
  escaped: set("description"),
};

const OPEN_DOCUMENT: Vocabulary = {
  isXml: true,
  leftOut: set(
    // Styles, settings, deleted text, pictures.
    "office:automatic-styles office:styles office:master-styles office:settings office:scripts text:tracked-changes",
    "table:tracked-changes office:binary-data text:ruby-text",
    // Who, when and by what.
    "meta:generator meta:creation-date meta:editing-duration meta:editing-cycles meta:initial-creator meta:print-date",
    "meta:printed-by meta:user-defined dc:creator dc:date dc:language",
    // Numbers of notes and pages.
    "text:note-citation text:page-number text:page-count",
  ),
  inline: (name) => INLINE_OPEN_DOCUMENT.has(name),
  told: (name, attributes) => (name === "table:table" ? sheetName(attributes["table:name"]) : undefined),
};

const INLINE_OPEN_DOCUMENT = set(
  "text:a text:span text:ruby text:ruby-base text:soft-page-break text:bookmark text:bookmark-start text:bookmark-end",
  "text:reference-mark text:reference-mark-start text:reference-mark-end text:change text:change-start text:change-end",
);

/** Parts of Office: a word may stand in several runs, each with its properties. */
export const OFFICE: Vocabulary = {
  isXml: true,
  // For older programs, what is told anew; how words are pronounced; the number of the slide; where text stood before
  // it was moved.
  leftOut: set("mc:Fallback rPh x:rPh w:rt a:fld w:moveFrom"),
  only: (name) => local(name) === "t",
  inline: (name) => !OFFICE_BREAKS.has(local(name)),
  told: (name, attributes) => {
    if (name === "wp:docPr" || name === "p:cNvPr") return attributes.descr;
    return local(name) === "sheet" ? sheetName(attributes.name) : undefined;
  },
};

const OFFICE_BREAKS = set("p tab br cr tc si is c comment");

/**
 * The cells of a sheet with a text of their own, and those whose formula gives one; shared texts stand in a part of
 * their own.
 */
export const SHEET: Vocabulary = {
  ...OFFICE,
  only: (name, { attributes }) => local(name) === "t" || (local(name) === "v" && attributes.t === "str"),
};

/** What is told of a document beside its text. */
export const METADATA: Vocabulary = {
  isXml: true,
  leftOut: new Set(),
  only: (name) => METADATA_READ.has(name),
  inline: () => false,
  escaped: set("dc:description"),
};

const METADATA_READ = set("dc:title dc:subject dc:description cp:keywords meta:keyword");

/** Of a book, whose author matters. */
export const PACKAGE: Vocabulary = {
  ...METADATA,
  only: (name) => METADATA_READ.has(name) || name === "dc:creator",
};

/** Undefined for what programs call sheets by themselves, in any language: `Sheet1`, `Tabelle2`. */
function sheetName(name = ""): string | undefined {
  return /^\p{L}+\d+$/u.test(name) ? undefined : name;
}

const BY_ROOT: Record<string, Vocabulary> = {
  rss: FEED,
  feed: FEED,
  "rdf:RDF": FEED,
  opml: OUTLINE,
  FictionBook: FICTION_BOOK,
  kml: GEOGRAPHY,
  gpx: GEOGRAPHY,
  "office:document": OPEN_DOCUMENT,
  "office:document-content": OPEN_DOCUMENT,
  html: HTML,
};

/** By the outermost element. */
export function xmlVocabulary(markup: string): Vocabulary {
  const root = /<([a-z_][\w:.-]*)/i.exec(markup)?.[1] ?? "";
  return (Object.hasOwn(BY_ROOT, root) ? BY_ROOT[root] : undefined) ?? XML;
}
