/** Limits of metadata, of its filters, queries and indexes: unit, reason and source. */

/** Levels of arrays and objects in metadata: SQLite's own JSON depth is 1,000, and ours must recurse safely. */
export const MAX_JSON_DEPTH = 500;

/** Different keys of an index: 300 bytes each at least. */
export const MAX_KEYS = 1_000_000;

/** Keys with a column of their own, the others lie in a table by key: each costs every later row a byte. */
export const MAX_COLUMNS = 128;

/** Keys that `metadata` shows as columns in a query (contract); the rest by json_extract. */
export const MAX_QUERY_KEYS = 1000;

/** Characters of a key that is a column in a query: 1,000 of them must stay a statement SQLite takes (1 MB). */
export const MAX_QUERY_KEY_CHARS = 900;

/**
 * SELECTs and joined tables in a query: a view of 1,000 keys takes 50 ms to prepare for each, in which no clock is looked at, and
 * copies of common tables within each other double.
 */
export const MAX_SQL_SELECTS = 16;

/** Rows that a query gives (contract). */
export const MAX_QUERY_ROWS = 10_000;

/** Bytes that a query gives: the largest body the HTTP surface takes by default. */
export const MAX_QUERY_BYTES = 64 * 1024 * 1024;

/** Facets of a search: each is a term of one expression. */
export const MAX_FACETS = 100;

/** Time that one slice of a long scan is to take, and at most may: a search waits for one (50 ms at most). */
export const SLICE_MS = 8;
export const SLICE_TIME_MS = 40;

/** Time of all slices of one scan: nobody waits for them but who asked. */
export const SCAN_TIME_MS = 10_000;

/** Slots of the first slice of a scan, the fewest that one has: 15 us, or half a second of the slowest functions. */
export const MIN_SLICE_SLOTS = 64;

/** How many times as large as the last one a slice may be: from the fewest slots to those of 8 ms in five steps. */
export const SLICE_GROWTH = 4;

/** Slices that take longer than they are to until a larger one is tried: a tenth more work where that is no use. */
export const SLICES_UNTIL_TRIED = 10;

/** Elements of arrays that a function compares between two looks at the clock: 0.1 ms or less. */
export const ELEMENTS_A_LOOK = 1000;

/** Filters whose matches are kept: 125 kB each at 1M records. */
export const MAX_CACHED_FILTERS = 32;

/** Characters of the filters whose matches are kept, all together: three of the longest, 4 MB. */
export const MAX_KEPT_NAME_CHARS = 2 * 1024 * 1024;

/** Changed slots that are evaluated one by one for a kept filter; of more, it is evaluated anew. More than change in a turn. */
export const MAX_CHANGED_SLOTS = 16_384;

/** Indexes at a time: each slows an insert by about a third. */
export const MAX_INDEXES = 8;

/** Scans that compare a key before it gets an index: making one costs about ten scans. */
export const SCANS_BEFORE_INDEX = 3;

/** Records from which a scan is slow enough (about 1 ms) to index. */
export const MIN_INDEXED_RECORDS = 10_000;

/** Records up to which an index is made at once: about 10 ms. */
export const MAX_RECORDS_INDEXED_AT_ONCE = 20_000;

/** Rows copied in one step of work in the background: about 5 ms. */
export const TENDED_ROWS = 2048;

/** Rows written in one such step, from texts of metadata: about 6 ms with four keys. */
export const WRITTEN_ROWS = 1024;

/** Memory of the texts: what 32-bit addresses reach, less the last page, so that no end of a text is beyond them. */
export const MAX_TEXT_MEMORY_BYTES = 2 ** 32 - 65_536;

/** The memory of the texts grows by this share of itself at least: growing takes longer the more there is of it. */
export const TEXT_MEMORY_GROWTH = 1 / 8;

/** Slots of the first table of texts. */
export const FIRST_TEXT_SLOTS = 1024;
