/** Limits of reading texts out of strangers' documents: unit, reason and source. */
/** Characters taken of a document: its first pages, about 1,300 words. What comes later says little more of what it is about. */
export declare const MAX_TEXT_CHARS = 8000;
/** Characters of a text before it is tidied: white space and what can't be seen fall away. */
export declare const MAX_RAW_CHARS: number;
/** Bytes read of a plain file: MAX_TEXT_CHARS in any encoding, behind markup, scripts or styles of some length. */
export declare const MAX_PLAIN_BYTES: number;
/** Largest document read whole, for PDF keeps its table of contents at the end; larger ones are indexed by name. */
export declare const MAX_WHOLE_BYTES: number;
/** Bytes unpacked of a packed document, over all its parts: a chapter of text with its markup has 100 kB. */
export declare const MAX_UNPACKED_BYTES: number;
/** Bytes unpacked in one go: DEFLATE gives up to 1,032 times as many (zlib's technical notes), 4 MiB. */
export declare const UNPACK_BYTES: number;
/** Parts of a packed document that are looked at: entries of a large EPUB; more are a bomb. */
export declare const MAX_PARTS = 4096;
/** Names of a packed folder that stand for its content. */
export declare const MAX_LISTED_NAMES = 200;
/** Pages of a PDF that are read: more than MAX_TEXT_CHARS fill, but for scanned ones. */
export declare const MAX_PDF_PAGES = 12;
/** Markup handed to the parser between two looks at how much text there is. */
export declare const MARKUP_PIECE_CHARS: number;
/** Elements open at once: browsers give up at 512; the parser's time for an element grows with them. */
export declare const MAX_MARKUP_DEPTH = 512;
/** Bytes by which an encoding is guessed: enough for frequencies of letters, 1 ms. */
export declare const GUESS_BYTES: number;
/** Time for one document; most take under 50 ms, a large PDF a second on a slow machine. */
export declare const DOCUMENT_TIMEOUT_MS = 10000;
/** Heap of the reading thread, where the platform takes a limit: four times what a document of 32 MiB was seen to need. */
export declare const THREAD_HEAP_MIB = 256;
/** Time without a document after which the reading thread ends, for it holds some 20 MB. */
export declare const THREAD_IDLE_MS = 30000;
