/**
 * What a file's name says of its kind: media type, kind in words, and which reader knows its text. Called by the index of
 * files and by the reader of texts; content decides where a name says nothing. Types: IANA's registry, else those in use.
 */

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

const UNKNOWN: FileType = { kind: "other", mediaType: "application/octet-stream" };

const OPEN_XML = "application/vnd.openxmlformats-officedocument";
const OPEN_DOCUMENT = "application/vnd.oasis.opendocument";

/** By kind: media types, and the extensions that stand for each. */
const TYPES: Record<FileKind, Record<string, string>> = {
  text: {
    "text/plain": "txt text log readme nfo me",
    "text/markdown": "md markdown mdown mkd",
    "text/x-rst": "rst adoc asciidoc org textile",
  },
  document: {
    "application/pdf": "pdf",
    "application/rtf": "rtf",
    "application/msword": "doc dot",
    [`${OPEN_XML}.wordprocessingml.document`]: "docx docm dotx",
    [`${OPEN_DOCUMENT}.text`]: "odt ott fodt",
    "application/x-tex": "tex latex ltx",
    "message/rfc822": "eml",
    "text/calendar": "ics",
    "text/vcard": "vcf",
  },
  presentation: {
    "application/vnd.ms-powerpoint": "ppt pps",
    [`${OPEN_XML}.presentationml.presentation`]: "pptx pptm ppsx potx",
    [`${OPEN_DOCUMENT}.presentation`]: "odp otp fodp",
  },
  spreadsheet: {
    "text/csv": "csv",
    "text/tab-separated-values": "tsv tab",
    "application/vnd.ms-excel": "xls",
    [`${OPEN_XML}.spreadsheetml.sheet`]: "xlsx xlsm xltx",
    [`${OPEN_DOCUMENT}.spreadsheet`]: "ods ots fods",
  },
  book: {
    "application/epub+zip": "epub",
    "application/x-mobipocket-ebook": "mobi azw azw3",
    "application/x-fictionbook+xml": "fb2",
  },
  "web page": { "text/html": "html htm", "application/xhtml+xml": "xhtml xht" },
  "source code": {
    "text/javascript": "js mjs cjs jsx",
    "text/typescript": "ts mts cts tsx",
    "text/css": "css scss sass less",
    "text/x-python": "py pyw pyi",
    "text/x-c": "c h cc cpp cxx hpp hh hxx ino",
    "text/x-rust": "rs",
    "text/x-go": "go",
    "text/x-java": "java kt kts scala groovy gradle clj",
    "text/x-csharp": "cs fs vb",
    "text/x-ruby": "rb erb",
    "text/x-php": "php",
    "text/x-shellscript": "sh bash zsh fish ps1 bat cmd",
    "text/x-swift": "swift m mm dart",
    "text/x-lua": "lua pl pm r jl hs ml elm ex exs erl lisp el scm nim zig asm s sol proto graphql",
    "text/x-sql": "sql",
    "text/x-diff": "diff patch",
    "text/x-makefile": "mk cmake dockerfile makefile",
    "text/x-template": "vue svelte astro hbs ejs jinja tmpl",
  },
  data: {
    "application/json": "json jsonl ndjson geojson ipynb har webmanifest",
    "application/yaml": "yaml yml",
    "application/toml": "toml ini cfg conf properties env",
    "application/xml": "xml rss atom gpx kml xsd xsl plist opml",
    "application/vnd.sqlite3": "sqlite sqlite3 db",
    "application/vnd.apache.parquet": "parquet arrow feather",
    "application/x-hdf5": "h5 hdf5 npy npz onnx safetensors gguf",
    "application/x-bibtex": "bib ris",
  },
  subtitles: {
    "application/x-subrip": "srt",
    "text/vtt": "vtt",
    "text/x-ssa": "ass ssa",
    "application/x-sub": "sub sbv lrc",
  },
  image: {
    "image/jpeg": "jpg jpeg jpe jfif",
    "image/png": "png apng",
    "image/gif": "gif",
    "image/webp": "webp",
    "image/avif": "avif heic heif",
    "image/svg+xml": "svg",
    "image/bmp": "bmp ico",
    "image/tiff": "tif tiff dng cr2 nef arw raw",
    "image/vnd.adobe.photoshop": "psd xcf kra ai eps",
    "image/jxl": "jxl jp2",
  },
  audio: {
    "audio/mpeg": "mp3",
    "audio/mp4": "m4a m4b aac",
    "audio/flac": "flac",
    "audio/wav": "wav aiff aif",
    "audio/ogg": "ogg oga opus",
    "audio/webm": "weba",
    "audio/midi": "mid midi",
    "audio/x-ms-wma": "wma",
  },
  video: {
    "video/mp4": "mp4 m4v",
    "video/quicktime": "mov qt",
    "video/webm": "webm",
    "video/ogg": "ogv",
    "video/x-matroska": "mkv",
    "video/x-msvideo": "avi wmv flv",
    "video/mpeg": "mpg mpeg m2ts 3gp",
  },
  archive: {
    "application/zip": "zip cbz",
    "application/gzip": "gz tgz",
    "application/x-tar": "tar",
    "application/x-7z-compressed": "7z",
    "application/vnd.rar": "rar cbr",
    "application/zstd": "zst xz bz2 lz4 br",
    "application/x-iso9660-image": "iso img dmg vhd vmdk qcow2",
    "application/vnd.ipld.car": "car",
  },
  font: { "font/ttf": "ttf ttc", "font/otf": "otf", "font/woff2": "woff woff2" },
  program: {
    "application/vnd.microsoft.portable-executable": "exe dll msi",
    "application/vnd.android.package-archive": "apk aab",
    "application/vnd.debian.binary-package": "deb rpm appimage flatpak snap",
    "application/java-archive": "jar war",
    "application/wasm": "wasm so dylib o a bin",
  },
  other: {},
};

const BY_EXTENSION = new Map<string, FileType>(
  Object.entries(TYPES).flatMap(([kind, types]) =>
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
