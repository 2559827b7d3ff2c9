/** Limits of Arrow data: unit, reason and source. */

/** Levels of lists and structs in an Arrow column: metadata takes no more than 500 levels anyway. */
export const MAX_ARROW_DEPTH = 32;

/** Bytes of an Arrow message's head: 10,000 fields with long names. */
export const MAX_ARROW_HEAD_BYTES = 16 * 1024 * 1024;

/** Rows of an Arrow batch read between two looks at the clock: a tenth of a millisecond, where they are wide. */
export const ARROW_ROWS_A_LOOK = 16;

/** Fields of an Arrow schema, those within others and entries of its own metadata counted too. */
export const MAX_ARROW_FIELDS = 10_000;
