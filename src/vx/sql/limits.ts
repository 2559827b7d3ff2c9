/** Limits of SQLite, and of what strangers have it run: unit, reason and source. */

/** Time of one statement of a stranger: 20 times a filter without an index over 1M rows. */
export const STATEMENT_TIME_MS = 2_000;

/** SQLite operations between two looks at the clock: about 4 us, of which the look takes 2 %. */
export const CLOCK_OPERATIONS = 200;

/** Characters of a filter or a query: a list of 50,000 numbers fits. */
export const MAX_SQL_CHARS = 512 * 1024;

/** Parentheses within parentheses: nobody writes as many, and SQLite's parser is recursive. */
export const MAX_SQL_DEPTH = 100;

/** Terms deep an expression may be: SQLite's default. A chain of ORs is as deep as it is long. */
export const MAX_EXPRESSION_DEPTH = 1000;

/** SELECTs joined by UNION and its like. */
export const MAX_COMPOUND_SELECTS = 10;

/** Arguments of a function: json_array_contains_any over a long list. */
export const MAX_FUNCTION_ARGUMENTS = 100;

/** Operations of a compiled statement: a list of 50,000 numbers takes two each. */
export const MAX_OPERATIONS = 250_000;

/** Shortest limit of a value that a stranger's statement makes; longer where longer metadata is stored. */
export const MIN_VALUE_BYTES = 1024 * 1024;

/** Memory that a stranger's statement may add to SQLite's: 1M rows sorted by a short text. */
export const STATEMENT_MEMORY_BYTES = 256 * 1024 * 1024;

/** Work of one LIKE, GLOB, instr, replace or trim, pattern times text in bytes: about 0.2 s. */
export const MAX_MATCH_WORK = 100_000_000;

/** Such work from which a look at the clock is worth its time: about 2 ms. */
export const CLOCK_MATCH_WORK = 1_000_000;

/** Memory of SQLite's WebAssembly, as its build declares it. */
export const MAX_SQLITE_MEMORY_BYTES = 2 ** 31;

/** Rows that SQLite looks at to judge an index. */
export const ANALYZED_ROWS = 1000;
