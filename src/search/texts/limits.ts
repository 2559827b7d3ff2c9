/** Limits of reading texts out of strangers' documents: unit, reason and source. */

/** Characters taken of a document: its first pages, about 1,300 words. What comes later says little more of what it is about. */
export const MAX_TEXT_CHARS = 8000;

/** Characters of a text before it is tidied: white space and what can't be seen fall away. */
export const MAX_RAW_CHARS = 8 * MAX_TEXT_CHARS;

/** Such characters after which no further part of a document is read: half of them may fall away. */
export const ENOUGH_RAW_CHARS = 2 * MAX_TEXT_CHARS;

/** Bytes read of a plain file: MAX_TEXT_CHARS in any encoding, behind markup, scripts or styles of some length. */
export const MAX_PLAIN_BYTES = 256 * 1024;

/** Largest document read whole, for PDF keeps its table of contents at the end; larger ones are indexed by name. */
export const MAX_WHOLE_BYTES = 32 * 1024 * 1024;

/** Bytes unpacked of one part of a packed document: a chapter of text with its markup has 100 kB, a sheet of numbers many MB. */
export const MAX_PART_BYTES = 1024 * 1024;

/** Bytes unpacked of a packed document at once, over all its parts, so that what was read before them is not late. */
export const MAX_UNPACKED_BYTES = 4 * 1024 * 1024;

/** Bytes unpacked in one go: DEFLATE gives up to 1,032 times as many (zlib's technical notes), 4 MiB. */
export const UNPACK_BYTES = 4 * 1024;

/** Parts of a packed document that are looked at: entries of a large EPUB; more are a bomb. */
export const MAX_PARTS = 4096;

/**
 * Chapters of a book that are looked at: title, imprint and contents are some, and more than the rest of these fill
 * MAX_TEXT_CHARS.
 */
export const MAX_CHAPTERS = 64;

/** Parts of a mail, and mails of a mailbox, that are looked at; parts within parts: a forwarded mail with pictures has four. */
export const MAX_MAIL_PARTS = 64;
export const MAX_MAIL_DEPTH = 8;

/** Names of a packed folder that stand for its content. */
export const MAX_LISTED_NAMES = 200;

/** Pages of a PDF that are read: more than MAX_TEXT_CHARS fill, but for scanned ones. */
export const MAX_PDF_PAGES = 12;

/**
 * Memory for bytes that PDF.js may take for one document; a page that is a drawing of many lines has 10 MB, which takes
 * it twice.
 */
export const MAX_PDF_ARRAY_BYTES = 256 * 1024 * 1024;

/** Markup handed to the parser between two looks at how much text there is. */
export const MARKUP_PIECE_CHARS = 16 * 1024;

/** Elements open at once: browsers give up at 512; the parser's time for an element grows with them. */
export const MAX_MARKUP_DEPTH = 512;

/** Bytes at the beginning of markup that may declare its encoding (HTML, "prescan a byte stream to determine its encoding"). */
export const DECLARATION_BYTES = 1024;

/** Bytes at the beginning of a document that tell its format: the longest sign of one has five. */
export const HEAD_BYTES = 8;

/** Bytes by which an encoding is guessed: enough for frequencies of letters, 1 ms. */
export const GUESS_BYTES = 16 * 1024;

/**
 * Time for one document, and before it for loading what reads it; most take under 50 ms, a large PDF a second on a slow
 * machine.
 */
export const DOCUMENT_TIMEOUT_MS = 10_000;

/** Heap of what reads texts, where the platform takes a limit: four times what a document of 32 MiB was seen to need. */
export const THREAD_HEAP_MIB = 256;

/** Time without a document after which what reads texts ends, for it holds some 20 MB, and a process of its own twice that. */
export const THREAD_IDLE_MS = 30_000;
